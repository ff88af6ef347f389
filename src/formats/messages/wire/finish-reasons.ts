/** Why an answer ended: `stop_reason`, `stop_sequence` and `stop_details` ("Handling stop reasons" guide). */

import type { StopReason } from '@anthropic-ai/sdk/resources/messages/messages';
import { formatFields, formatSpecificOf, unknownFieldsOf } from '../../../conversation/format-specific.ts';
import type { Choice, Finish } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { asObject, asText, splitFields, withoutNulls } from '../../../lib/json.ts';
import { FORMAT } from './wire.ts';

const FINISHES: ReadonlyMap<string, Finish> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop-sequence'],
  ['max_tokens', 'length'],
  ['tool_use', 'tool-calls'],
  ['pause_turn', 'pause'],
  // Beta: the context was made smaller, and the caller is to go on, as after a pause.
  ['compaction', 'pause'],
  ['refusal', 'refusal'],
  ['model_context_window_exceeded', 'context-length'],
]);

/** Words that every format has one for. */
const PLAIN: readonly string[] = ['end_turn', 'stop_sequence', 'max_tokens', 'tool_use'];

/** Fields of an answer's end that Anthropic alone has; the last two are beta. */
export const END_OWN: ReadonlySet<string> = new Set([
  'stop_details',
  'container',
  'context_management',
  'input_transformations',
]);

type End = Choice['end'];

/**
 * Which tool calls an answer has: made by the model itself, or by code that Anthropic runs ("Programmatic tool
 * calling"), which may have been answered within it.
 */
export interface Calls {
  readonly direct: boolean;
  readonly byCode: boolean;
}

export const NO_CALLS: Calls = { direct: false, byCode: false };

/** The calls with one more, whose block has these fields. */
export function withCall(calls: Calls, fields: JsonObject): Calls {
  const caller = asText(asObject(fields['caller'])?.['type']) ?? 'direct';
  return caller === 'direct' ? { ...calls, direct: true } : { ...calls, byCode: true };
}

/**
 * The end of an answer, from the fields that tell it.
 * @param fields `stop_reason` and its like, and whatever else an answer's end says.
 * @param calls the calls of tools that the caller knows of.
 */
export function parseEnd(fields: JsonObject, calls: Calls): End {
  const { stop_reason, stop_sequence, ...others } = fields;
  const [own, rest] = splitFields(others, END_OWN);
  const word = asText(stop_reason);
  const stopSequence = asText(stop_sequence);
  const explanation = asText(asObject(own['stop_details'])?.['explanation']);
  return {
    finish: finishOf(word, calls),
    ...(stopSequence !== undefined && { stopSequence }),
    ...(word !== undefined && !PLAIN.includes(word) && { native: word }),
    ...(explanation !== undefined && { explanation }),
    ...formatSpecificOf(FORMAT, {
      ...withoutNulls(own),
      ...(word !== undefined && !isRendered(word) && { stop_reason: word }),
    }),
    ...unknownFieldsOf(withoutNulls(rest)),
  };
}

/** An answer that ends well without saying why ended as its content says. */
function finishOf(word: string | undefined, { direct, byCode }: Calls): Finish {
  const finish = word === undefined ? 'stop' : (FINISHES.get(word) ?? 'other');
  if (finish === 'stop' && direct) return 'tool-calls';
  return finish === 'tool-calls' && !direct && !byCode ? 'stop' : finish;
}

/** Whether the word is made again from what it means. */
function isRendered(word: string): boolean {
  return FINISHES.has(word) && word !== 'compaction';
}

const WORDS = {
  length: 'max_tokens',
  'context-length': 'model_context_window_exceeded',
  'content-filter': 'refusal',
  refusal: 'refusal',
  pause: 'pause_turn',
  'malformed-call': 'refusal',
} as const satisfies Partial<Record<Finish, StopReason>>;

/** What the content of the answer says of its end. */
interface Said {
  readonly calls: Calls;
  readonly refusal: boolean;
  /** The sequences the caller asked to stop at. */
  readonly stop: readonly string[] | undefined;
}

/** The three fields that say why an answer ended. */
export function renderStop(end: End, said: Said): JsonObject {
  const own = formatFields(end.formatSpecific, FORMAT);
  const sequence = end.stopSequence ?? (said.stop?.length === 1 ? said.stop[0] : undefined);
  const word = asText(own['stop_reason']) ?? wordOf(end.finish, said, sequence !== undefined);
  return {
    stop_reason: word,
    stop_sequence: word === 'stop_sequence' && sequence !== undefined ? sequence : null,
    stop_details: own['stop_details'] ?? (word === 'refusal' ? refusalDetails(end) : null),
  };
}

function wordOf(finish: Finish, { calls, refusal }: Said, hasSequence: boolean): StopReason {
  switch (finish) {
    case 'stop':
    case 'stop-sequence':
    case 'tool-calls':
    case 'other':
      if (calls.direct || (calls.byCode && finish === 'tool-calls')) return 'tool_use';
      if (refusal) return 'refusal';
      return finish === 'stop-sequence' && hasSequence ? 'stop_sequence' : 'end_turn';
    default:
      return WORDS[finish];
  }
}

/** The vendor's own word is told here, for `stop_reason` has none but Anthropic's. */
function refusalDetails({ native, explanation }: End): JsonObject {
  const told = [native === 'refusal' ? undefined : native, explanation]
    .filter((text) => text !== undefined)
    .join(': ');
  return { type: 'refusal', category: null, explanation: told === '' ? null : told };
}

/** Fields of the end that stand beside `delta` in a `message_delta`. */
const BESIDE: ReadonlySet<string> = new Set(['context_management', 'input_transformations']);

/**
 * What the end says beyond why, under the vendor's own field names.
 * @returns what stands in the `delta` of a `message_delta`, and what stands beside it.
 */
export function endFields(end: End): { readonly inside: JsonObject; readonly beside: JsonObject } {
  const { stop_reason: _reason, stop_details: _details, ...own } = end.formatSpecific?.fields ?? {};
  const fields = { ...end.unknownFields, ...own };
  if (end.formatSpecific?.format !== FORMAT) return { inside: fields, beside: {} };
  const [beside, inside] = splitFields(fields, BESIDE);
  return { inside, beside };
}
