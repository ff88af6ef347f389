/** The sentences of refusals, by what they are about: each is one that a service has been seen to say (public issues). */

import { type FlawPath, indexedPath, protoPath } from '../../../src/sandbox/flaws.ts';
import type { RefusedThing } from '../../../src/sandbox/refusal-subject.ts';

/** @param id the id that the refusal is about */
type Sentences = (path: FlawPath, id?: string) => readonly string[];

const dotted = (path: FlawPath): string => path.join('.');
const last = (path: FlawPath): string => String(path.at(-1) ?? '');

const JINJA =
  '\n------------\nWhile executing CallExpression at line 189, column 32 in source:\n...== 0) %}↵            ' +
  "{{- raise_exception('After the optional system message, con...\n                                           ^\n" +
  'Error: Jinja Exception: ';

/** Serde names the message, if it is in one. */
function place(path: FlawPath): string {
  return path.length < 3 ? '' : `${indexedPath(path.slice(0, 2))}: `;
}

/** Groq's words for a field of a message, and for one of the request. */
function groqs(path: FlawPath): string {
  const [field, index] = path;
  if (path.length < 3) return `property '${last(path)}' is unsupported`;
  const at = `'${field}.${index}'`;
  return `${at} : for 'role:assistant' the following must be satisfied[(${at} : property '${last(path)}' is unsupported)]`;
}

/** By the field of the request that holds the dialogue. */
const THOUGHTS: Readonly<Partial<Record<string, Sentences>>> = {
  messages: (path) => [
    `${dotted(path)}: Invalid \`signature\` in \`thinking\` block`,
    `${dotted(path)}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
  ],
  contents: (path) => [
    'Thought signature is not valid',
    'Corrupted thought signature.',
    'Unable to submit request because Thought signature is not valid.. Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini',
    `Invalid value at '${protoPath(path)}' (TYPE_BYTES), Base64 decoding failed for "openai#abc"`,
  ],
  input: () => [
    'The encrypted content gAAA...DQ== could not be verified.',
    'The encrypted content for item rs_0a18 could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
    "Item 'rs_0a18' of type 'reasoning' was provided without its required following item.",
  ],
};

export const SENTENCES: Readonly<Record<RefusedThing, Sentences>> = {
  'unknown field': (path) => [
    groqs(path),
    `${dotted(path)}: Extra inputs are not permitted`,
    `Failed to deserialize the JSON body into the target type: ${place(path)}unknown field \`${last(path)}\` at line 1 column 118`,
    `Unrecognized request argument supplied: ${last(path)}`,
    `property '${dotted(path)}' is unsupported`,
    `Validation error at #/${path.join('/')}: Extra inputs are not permitted`,
    `Unknown parameter: '${indexedPath(path)}'.`,
  ],
  setting: (path) => [
    `Unsupported parameter: '${indexedPath(path)}' is not supported with this model.`,
    `${last(path)} is not supported with this model`,
    `Unsupported parameter: ${last(path)}`,
    `The parameter \`${indexedPath(path)}\` specified in the request are not valid`,
    `${dotted(path)}: Extra inputs are not permitted`,
  ],
  // Each format has thoughts of its own, so nobody has words for those of another.
  thoughts: (path) => THOUGHTS[String(path[0])]?.(path) ?? [],
  'missing thought': (path) => [
    `${dotted(path)}: Expected \`thinking\` or \`redacted_thinking\`, but found \`tool_use\`.`,
    `${dotted(path)}: If an assistant message contains any thinking blocks, the first block must be thinking or redacted_thinking. Found tool_use.`,
  ],
  'missing signature': () => [
    'Function call is missing a thought_signature in functionCall parts.',
    'Unable to submit request because function call is missing a thought_signature.',
  ],
  'missing reasoning_content': (path) => [
    'The `reasoning_content` in the thinking mode must be passed back to the API.',
    `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${path[1] ?? 0}`,
  ],
  'repeated ids': (path, id = 'call_0') => [
    `${dotted(path)}: \`tool_use\` ids must be unique`,
    `Invalid parameter: Duplicate value for 'tool_call_id' of 'call_0', in messages[2] and messages[4].`,
    'tool call result does not follow tool call',
    'Not the same number of function calls and responses',
    `The toolUse blocks at ${dotted(path)} contain duplicate Ids: ${id}`,
  ],
  'foreign ids': (path, id = 'call_0') => [
    `Invalid '${indexedPath(path)}': string too long. Expected a string with maximum length 40, but got a string with length ${id.length} instead.`,
    `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
    `${dotted(path)}: String should match pattern '^[a-zA-Z0-9_-]+$'`,
  ],
  'input no object': (path) => [
    `${dotted(path)}: Input should be a valid dictionary`,
    'Can only get item pairs from a mapping.',
    `Invalid JSON payload received. Unknown name "args" at '${indexedPath(path)}': Proto field is not repeating, cannot start list.`,
  ],
  'unpaired call': (path, id = 'call_0') => [
    `${dotted(path)}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${id}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
    '<400> InternalError.Algo.InvalidParameter: An assistant message with "tool_calls" must be followed by tool messages responding to each "tool_call_id". The following tool_call_ids did not have response messages: message[2].role',
    'Not the same number of function calls and responses',
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
  ],
  'user after tool': () => [
    "Unexpected role 'user' after role 'tool'",
    `${JINJA}After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.`,
    'Invalid API parameter, please check the documentation.',
  ],
  'late system': () => [
    'System message must be at the beginning.',
    'Unable to generate parser for this template. Automatic parser generation failed: Error: Jinja Exception: System message must be at the beginning.',
    'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    "Unexpected role 'system' after role 'assistant'",
  ],
  'empty text': (path) => [
    'messages: text content blocks must be non-empty',
    `The text field in the ContentBlock object at ${dotted(path)} is blank. Add text to the text field, and try again.`,
    "Invalid assistant message: role='assistant' content=None tool_calls=None prefix=False",
    `Invalid request: the message at position ${path[1] ?? 0} with role 'assistant' must not be empty`,
    `* GenerateContentRequest.${indexedPath(path)}.data: required oneof field 'data' must have one initialized field\n`,
  ],
  order: () => [
    'After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).',
    'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
    'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    'The messages parameter is illegal. Please check the documentation.',
  ],
  'too many': (path) => [
    `Invalid '${indexedPath(path)}': array too long. Expected an array with maximum length 4.`,
    `${dotted(path)}: List should have at most 4 items`,
  ],
  'tool names': () => ['Tool names must be unique.', 'tools: Tool names must be unique.'],
};
