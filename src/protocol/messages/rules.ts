/** The rules of messages, streamed and whole. */

/** A sentence for each rule, by its id. */
export const rules = {
  // The stream
  json: 'Every `data:` is one JSON object.',
  'event-name': "Every event has a name, and its data's `type` is the same.",
  'start-first': '`message_start` comes first, but for pings.',
  'start-once': '`message_start` comes once.',
  'start-fields':
    'The message of `message_start` has `id`, `model`, `usage`, and no content and no `stop_reason` yet, or else all of it.',
  'block-index': 'Blocks are numbered 0, 1, 2 … in the order they start.',
  'block-overlap': 'A block starts only when the one before it has stopped.',
  'delta-unopened': 'A delta belongs to the block that is open.',
  'delta-kind': "A delta is of its block's kind, and has that kind's field.",
  'stop-unopened': 'A stop belongs to the block that is open.',
  'block-unclosed': 'Every block stops before `message_delta`.',
  'block-cut': 'A block that max_tokens cut stops all the same.',
  'after-signature': "A thinking block's signature comes once, as the last of its deltas.",
  'call-delta':
    "A tool call's arguments come as `input_json_delta`, at least one, after `input: {}`; only a call made by code comes whole.",
  'after-delta': 'After `message_delta` come only pings and `message_stop`; so there is only one.',
  'delta-missing': '`message_delta` comes before `message_stop`.',
  'usage-input': 'Input tokens are told in `message_start`, or else in `message_delta`.',
  'usage-grows': "`message_delta`'s output tokens are all there are, so no fewer than `message_start`'s.",
  'stop-missing': '`message_stop` ends the stream.',
  'after-stop': 'Nothing comes after `message_stop`.',
  'after-error': 'Nothing comes after an error.',
  // Both
  'error-shape': 'An error is an object with `type` and `message`, both strings.',
  'block-fields': 'A block has all fields of its kind, e.g. `thinking: ""`, `text: ""`.',
  'block-empty': 'No text block is empty.',
  'call-id': 'Ids of tool calls are letters, digits, `_` and `-`, and no two of an answer are the same.',
  'call-arguments': "A tool call's arguments are a JSON object; none at all stands for `{}`.",
  'stop-word':
    '`stop_reason` is one of end_turn, max_tokens, stop_sequence, tool_use, pause_turn, refusal, model_context_window_exceeded, compaction.',
  'stop-payload': '`stop_reason` says tool_use exactly where there is a tool call, unless it was cut.',
  'stop-sequence': '`stop_sequence` is a string exactly where `stop_reason` says so, and else null.',
  'usage-shape': 'Usage is an object of whole numbers or null; `output_tokens` is always told.',
  // Whole
  'body-fields':
    'A message has `id`, `type`, `role`, `model`, `content`, `stop_reason`, `stop_sequence` and `usage`.',
} as const;

/** The id of a rule. */
export type Rule = keyof typeof rules;

/** Takes what is wrong with an answer. */
export type Report = (rule: Rule, detail: string) => void;

/** Rules that services other than Anthropic break in ways that clients tolerate, with the services that do. */
export const excused = {
  'block-cut': 'Claude 3.7 left a tool call open that was cut.',
} as const satisfies Partial<Record<Rule, string>>;
