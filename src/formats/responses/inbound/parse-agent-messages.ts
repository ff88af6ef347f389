/**
 * Parses items for which no other format has a kind: messages of other agents, and outputs that no call asked for. In a
 * prompt the user says them, after a line that names who said it. This format keeps the item as it is.
 */

import type { ToolResultPart, Turn } from '../../../conversation/prompt.ts';
import { flat } from '../../../lib/flat-text.ts';
import { asText, type JsonObject } from '../../../lib/json.ts';
import type { Place } from '../../../lib/place.ts';
import { parseNeutralName } from '../wire/namespaces.ts';
import { keepRoundTrip } from '../wire/origin.ts';
import { asResultPart } from './parse-calls.ts';
import { parseContent } from './parse-parts.ts';

/** Parses a message of another agent. @param path the item in the caller's body, for error messages */
export function parseAgentMessage(item: JsonObject, path: Place): Turn {
  const author = asText(item['author']) ?? 'another agent';
  return parseAsUser(item, `Message from ${author}:`, 'content', path);
}

/** Whether no call asked for an output: then it names its tool instead (API reference, `function_call_output`). */
export function isUnsolicited({ call_id, name }: JsonObject): boolean {
  return (call_id === undefined || call_id === null) && typeof name === 'string';
}

/** Parses an output that no call asked for. */
export function parseUnsolicitedOutput(item: JsonObject, path: Place): Turn {
  return parseAsUser(item, `Output of ${parseNeutralName(item)}:`, 'output', path);
}

function parseAsUser(item: JsonObject, heading: string, field: 'content' | 'output', path: Place): Turn {
  const parts = parseContent(item[field], `${path}.${field}`).map(asResultPart).map(asWords);
  return {
    role: 'user',
    parts: [{ kind: 'text', text: flat(heading) }, ...parts],
    formatSpecific: keepRoundTrip({ whole: item }),
  };
}

/**
 * A Fernet token. OpenAI's models encrypt what they tell each other; other models write plain words into the same field.
 */
const ENCRYPTED = /^gAAAA[\w-]+=*$/;

type ResultPart = ToolResultPart['content'][number];

function asWords(part: ResultPart): ResultPart {
  const text = part.kind === 'opaque' ? asText(part.value['encrypted_content']) : undefined;
  return text === undefined || ENCRYPTED.test(text) ? part : { kind: 'text', text };
}
