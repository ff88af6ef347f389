/** What Gemini demands of a conversation beyond its schema: whose turn it is, and one response to each call. */

import type { JsonObject } from '../../lib/json.ts';
import { asObjects } from '../../lib/json.ts';
import { wordList } from '../../lib/words.ts';
import { badRequest } from '../google/words.ts';
import { about } from '../refusal-subject.ts';
import { parseParts } from './ask.ts';

/** What a part may hold: exactly one of these. */
const DATA = wordList(`
  text inlineData fileData functionCall functionResponse executableCode codeExecutionResult toolCall
  toolResponse audioTranscription
`);

/**
 * Checks the contents of a request.
 * @throws Refused with Google's own error
 */
export function checkContents(body: JsonObject): void {
  const contents = asObjects(body['contents']);
  if (contents.length === 0) {
    throw badRequest('* GenerateContentRequest.contents: contents is not specified\n');
  }
  for (const [index, content] of contents.entries()) checkContent(content, index);
  checkTurns(mergedTurns(contents));
}

function checkContent(content: JsonObject, index: number): void {
  const { role } = content;
  const at = `GenerateContentRequest.contents[${index}]`;
  if (role !== undefined && role !== 'user' && role !== 'model' && role !== 'function') {
    throw badRequest('Please use a valid role: user, model.');
  }
  const parts = parseParts(content);
  if (parts.length === 0) {
    const fault = `* ${at}.parts: contents.parts must not be empty.\n`;
    throw badRequest(fault, about('empty text', 'contents', index));
  }
  for (const [place, part] of parts.entries()) {
    const held = DATA.filter((field) => part[field] !== undefined);
    if (held.length > 1) {
      throw badRequest(
        `Invalid value at 'contents[${index}].parts[${place}]' (oneof), oneof field 'data' is already set. Cannot set '${held[1]}'`,
      );
    }
    // A signature may come alone. The text beside it was empty, and protobuf leaves an empty text out.
    if (held.length === 0 && part['thoughtSignature'] === undefined) {
      throw badRequest(
        `* ${at}.parts[${place}].data: required oneof field 'data' must have one initialized field\n`,
        about('empty text', 'contents', index, 'parts', place),
      );
    }
  }
}

/** Successive contents of the same side are read as one turn (recorded). */
function mergedTurns(contents: readonly JsonObject[]): readonly JsonObject[] {
  const turns: { readonly content: JsonObject; readonly parts: JsonObject[] }[] = [];
  for (const content of contents) {
    const last = turns.at(-1);
    const together = (last?.content['role'] === 'model') === (content['role'] === 'model');
    // To copy the parts for each further content would cost the square of their number.
    if (last !== undefined && together) for (const part of parseParts(content)) last.parts.push(part);
    else turns.push({ content, parts: [...parseParts(content)] });
  }
  return turns.map(({ content, parts }) => ({ ...content, parts }));
}

function checkTurns(contents: readonly JsonObject[]): void {
  for (const [index, content] of contents.entries()) checkTurn(content, contents[index - 1], index);
  const last = contents.at(-1);
  if (last !== undefined && count(last, 'functionCall') > 0) {
    throw badRequest(
      'Please ensure that multiturn requests end with a user turn or a function response turn.',
      about('order', 'contents', contents.length - 1),
    );
  }
}

/** Checks a turn against the one before it. */
function checkTurn(content: JsonObject, before: JsonObject | undefined, index: number): void {
  const calls = count(content, 'functionCall');
  const responses = count(content, 'functionResponse');
  if (calls > 0 && (before === undefined || before['role'] === 'model')) {
    throw badRequest(
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      about('order', 'contents', index),
    );
  }
  const called = before === undefined ? 0 : count(before, 'functionCall');
  if (responses > 0 && called === 0) {
    throw badRequest(
      'Please ensure that function response turn comes immediately after a function call turn.',
      about('unpaired call', 'contents', index),
    );
  }
  const open = called > 0 && content['role'] !== 'model';
  if ((open || responses > 0) && responses !== called) {
    throw badRequest(
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      about('unpaired call', 'contents', index),
    );
  }
}

function count(content: JsonObject, field: string): number {
  return parseParts(content).filter((part) => part[field] !== undefined).length;
}
