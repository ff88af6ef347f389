/** The rules of generate-content, streamed and whole. */

/** A sentence for each rule, by its id. */
export const rules = {
  // The stream
  json: 'Every `data:` is one JSON object; there is no `[DONE]`.',
  'event-name': 'Events have no name.',
  'chunk-empty': 'Every chunk has candidates, or prompt feedback, or usage.',
  'after-finish':
    'Nothing comes for a candidate after its `finishReason`, unless the vendor answers its call itself.',
  'model-same': 'Every chunk names the same `modelVersion` and the same `responseId`.',
  'after-error': 'Nothing comes after an error.',
  // Both
  'error-shape': 'An error has `code`, a number, and `message` and `status`, strings.',
  'candidates-list': '`candidates` is a list of objects.',
  'candidate-index': 'Candidates are numbered 0, 1, 2 … without gaps; no number stands for 0.',
  'candidate-missing': 'There is a candidate, or else `promptFeedback` with a `blockReason`.',
  'blocked-candidate': 'A blocked prompt has no candidates.',
  'content-shape': '`content` is an object, and `parts` a list of objects.',
  'content-role': 'The `role` of content is `model`.',
  'part-field': 'A part holds exactly one thing: text, a call, data …',
  'part-shape':
    '`text` and `thoughtSignature` are strings, `thought` is a flag, anything else a part holds is an object.',
  'signature-bytes': 'A `thoughtSignature` is bytes: base64 in the standard alphabet, padded.',
  'call-shape': 'A `functionCall` has a `name`, and its `args` are an object.',
  'call-args': 'A whole `functionCall` has `args`, also where they are empty, unless the answer was cut off.',
  'call-id': 'Ids of function calls are not empty, and no two of an answer are the same.',
  'finish-missing': 'Every candidate ends with a `finishReason`.',
  'finish-word': "`finishReason` is one of the API's words.",
  'usage-missing': 'There is `usageMetadata` with a `totalTokenCount`.',
  'usage-shape': 'The counts of `usageMetadata` are whole numbers.',
  'usage-sum': 'Total is prompt plus candidates plus thoughts plus tool use; cached is part of prompt.',
  'model-missing': 'An answer names its `modelVersion`.',
} as const;

/** The id of a rule. */
export type Rule = keyof typeof rules;

/** Takes what is wrong with an answer. */
export type Report = (rule: Rule, detail: string) => void;

/** Rules that others than the Gemini API break in ways that clients tolerate, with those who do. */
export const excused = {
  'call-args': 'Vertex AI leaves them out where it streams arguments and there are none.',
  'after-finish': 'Vertex AI said STOP in every chunk in 2024.',
  'content-role': 'Vertex AI left it out in 2024.',
  'usage-missing': 'Vertex AI left it out in 2024, and does for a blocked prompt.',
  'model-missing': 'Vertex AI left it out in 2024.',
  'signature-bytes': 'In published recordings they are blacked out.',
} as const satisfies Partial<Record<Rule, string>>;
