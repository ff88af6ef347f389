/** The rules of responses, streamed and whole. */

/** A sentence for each rule, by its id. */
export const rules = {
  // The stream
  json: 'Every `data:` is one JSON object.',
  'done-word': 'There is no `[DONE]`.',
  'event-name': "Every event has a name, and its data's `type` is the same.",
  sequence: '`sequence_number` counts all events: 0, 1, 2 … without gaps.',
  'sequence-missing': 'Every event has a `sequence_number`.',
  'created-first': '`response.created` comes first, and once.',
  'in-progress-second':
    '`response.in_progress` comes after it, before any item; again, it says that there is more to come.',
  'response-same': 'Every response object of the stream has the same `id`.',
  'status-event': "The response's `status` is the one of the event that carries it.",
  'item-index': 'Items are numbered 0, 1, 2 … by `output_index` in the order they are added.',
  'item-overlap': 'An item is added only when the one before it is done.',
  'item-unopened': 'An event of an item, a part or a text comes while that item is open.',
  'item-id': 'Every event of an item has the `id` the item was added with, and its done the same `type`.',
  'item-unclosed': 'Every item is done before the response is.',
  'part-index': 'The parts of an item are numbered 0, 1, 2 …; parts of its summary likewise.',
  'part-overlap': 'A part is added only when the one before it is done.',
  'part-unopened': "A part's deltas and its done come after its added.",
  'part-kind': 'A text event is of the kind of the part or item it belongs to.',
  'part-unclosed': 'Every part is done before its item is.',
  'delta-text': 'A delta is a string.',
  'after-done': 'No delta comes for a text that is done.',
  'text-undone': "A text's done comes before the done of its part or item.",
  'delta-missing': 'A text that is not empty comes in deltas.',
  'done-text': 'The done of a text, a part or an item says the same as the deltas before it.',
  'final-output': "The last response's `output` is all items that were done, in their order and whole.",
  'final-ids': "The items of the last response's `output` have the ids they were added with.",
  'terminal-missing': 'One of response.completed, response.incomplete, response.failed ends the stream.',
  'after-terminal': 'Nothing comes after the end of the response.',
  'after-error': 'Only `response.failed` comes after an `error`.',
  // Both
  'error-shape': 'An error has a `message`, a string; a failed response has an `error`.',
  'response-core': 'A response has `id`, `object`, `created_at`, `status`, `model` and `output`.',
  'response-fields':
    'A response has all fields of its kind: error, incomplete_details, instructions, metadata, parallel_tool_calls, temperature, text.format, tool_choice, tools, top_p.',
  'status-word': '`status` is one of completed, failed, in_progress, cancelled, queued, incomplete.',
  'item-shape':
    'An item has all fields of its kind: a message `role` and `content`, a call `call_id`, `name`, `arguments`.',
  'item-same': 'No two items of an answer have the same `id`, no two calls the same `call_id`.',
  'call-arguments': "A finished function call's arguments are the JSON text of an object.",
  incomplete: 'A response is incomplete exactly where it has `incomplete_details` with a `reason`.',
  'usage-missing': 'A completed or incomplete response has `usage`.',
  'usage-shape': 'Usage has all three counts and both details, whole numbers.',
  'usage-sum': 'Total is input plus output; cached is part of input, reasoning of output.',
} as const;

/** The id of a rule. */
export type Rule = keyof typeof rules;

/** Takes what is wrong with an answer. */
export type Report = (rule: Rule, detail: string) => void;

/** Rules that services other than OpenAI break in ways that clients tolerate, with the services that do. */
export const excused = {
  'event-name': 'OpenRouter and Bedrock give events no name.',
  'done-word': 'OpenRouter sends one.',
  'sequence-missing': 'OpenAI gave none until May 2025.',
  'response-same': 'GitHub Copilot gives every event ids of its own.',
  'item-id': 'GitHub Copilot gives every event ids of its own.',
  'final-ids': 'OpenRouter and GitHub Copilot make new ones.',
  'item-overlap': 'xAI runs searches side by side; OpenRouter ends reasoning after the text.',
  'part-index': "Bedrock counts a message's parts on from those of the reasoning before it.",
  'delta-missing': "LM Studio gives a call's arguments only in their done.",
  'error-shape': 'The `error` of xAI is a string.',
  'response-fields': 'xAI, OpenRouter and Bedrock leave some out.',
  'item-same': 'xAI uses the id of a reasoning item again.',
} as const satisfies Partial<Record<Rule, string>>;
