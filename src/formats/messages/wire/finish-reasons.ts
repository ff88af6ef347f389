/** The end of an answer: `stop_reason`, `stop_sequence` and `stop_details` ("Handling stop reasons" guide). */

import {
  findAdditionalFields,
  findFormatFields,
  withFormatSpecific,
  withUnknownFields,
} from '../../../conversation/format-specific.ts';
import type { Choice, Finish } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { asObject, asText, otherFields, splitFields, withoutNulls } from '../../../lib/json.ts';
import { GUARDRAIL_ACTION, hasIntervened, INTERVENED_FINISH } from '../../bedrock-guardrail.ts';
import { CLAUDE_FINISHES } from '../../finish-words.ts';
import { MESSAGE_FIELDS, OWN_END_FIELDS, STOP_FIELDS } from './message-fields.ts';

/** Reasons that every format has a word for. */
const COMMON: readonly string[] = ['end_turn', 'stop_sequence', 'max_tokens', 'tool_use'];

type End = Choice['end'];

/**
 * Which tool calls an answer has: those of the model itself, and those of code that Anthropic runs ("Programmatic tool
 * calling"). The latter may have their results within the answer.
 */
export interface Calls {
  readonly direct: boolean;
  readonly byCode: boolean;
}

export const NO_CALLS: Calls = { direct: false, byCode: false };

/** Adds a call. @param fields those of its block. */
export function addCall(calls: Calls, fields: JsonObject): Calls {
  const caller = asText(asObject(fields['caller'])?.['type']) ?? 'direct';
  return caller === 'direct' ? { ...calls, direct: true } : { ...calls, byCode: true };
}

/**
 * Parses the end of an answer.
 * @param fields `stop_reason`, `stop_sequence`, and all other fields of the end.
 * @param calls the answer's calls of tools that the caller knows.
 */
export function parseEnd(fields: JsonObject, calls: Calls): End {
  const { stop_reason, stop_sequence } = fields;
  const [endFields, unknownFields] = splitFields(otherFields(fields, STOP_FIELDS), OWN_END_FIELDS);
  const word = asText(stop_reason);
  const isFiltered = hasIntervened(endFields);
  const stopSequence = asText(stop_sequence);
  const explanation = asText(asObject(endFields['stop_details'])?.['explanation']);
  return {
    finish: isFiltered ? 'content-filter' : findFinish(word, calls),
    ...(stopSequence !== undefined && { stopSequence }),
    ...(isFiltered && { native: INTERVENED_FINISH }),
    ...(word !== undefined && !COMMON.includes(word) && { native: word }),
    ...(explanation !== undefined && { explanation }),
    ...withFormatSpecific('messages', {
      ...withoutNulls(endFields),
      ...(word !== undefined && (isFiltered || !RESTORED.has(word)) && { stop_reason: word }),
    }),
    ...withUnknownFields(withoutNulls(unknownFields)),
  };
}

/** An answer that ends normally without a reason ended for the reason that its content shows. */
function findFinish(word: string | undefined, { direct, byCode }: Calls): Finish {
  const finish = word === undefined ? 'stop' : (CLAUDE_FINISHES.get(word) ?? 'other');
  if (finish === 'stop' && direct) return 'tool-calls';
  return finish === 'tool-calls' && !direct && !byCode ? 'stop' : finish;
}

/** Words that `renderStop` renders again from their finish. */
const RESTORED: ReadonlySet<string> = new Set([
  ...COMMON,
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
]);

const WORDS = {
  length: 'max_tokens',
  'context-length': 'model_context_window_exceeded',
  'content-filter': 'refusal',
  refusal: 'refusal',
  pause: 'pause_turn',
  'malformed-call': 'refusal',
} as const satisfies Partial<Record<Finish, string>>;

/** What the content of an answer says about its end. */
interface AnswerContent {
  readonly calls: Calls;
  readonly refusal: boolean;
  /** The stop sequences of the request. */
  readonly stop: readonly string[] | undefined;
}

/** Renders `stop_reason`, `stop_sequence` and `stop_details`. */
export function renderStop(end: End, content: AnswerContent): JsonObject {
  const fields = findFormatFields(end.formatSpecific, 'messages');
  const sequence = end.stopSequence ?? (content.stop?.length === 1 ? content.stop[0] : undefined);
  const word = asText(fields['stop_reason']) ?? renderFinish(end.finish, content, sequence !== undefined);
  return {
    stop_reason: word,
    stop_sequence: word === 'stop_sequence' && sequence !== undefined ? sequence : null,
    stop_details: fields['stop_details'] ?? (word === 'refusal' ? renderRefusalDetails(end) : null),
  };
}

function renderFinish(finish: Finish, { calls, refusal }: AnswerContent, hasSequence: boolean): string {
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

/** Another vendor's word for the reason stands here, because `stop_reason` has Anthropic's words only. */
function renderRefusalDetails({ native, explanation }: End): JsonObject {
  const text = [native === 'refusal' ? undefined : native, explanation]
    .filter((part) => part !== undefined)
    .join(': ');
  return { type: 'refusal', category: null, explanation: text === '' ? null : text };
}

/** Fields of the end that stand beside the `delta` of a `message_delta`. */
const BESIDE_DELTA: ReadonlySet<string> = new Set([
  'context_management',
  'input_transformations',
  GUARDRAIL_ACTION,
]);

/**
 * Renders the fields of the end besides the stop reason, under the vendor's names.
 * @returns those `inside` the `delta` of a `message_delta`, and those `beside` it.
 */
export function renderEndFields(end: End): { readonly inside: JsonObject; readonly beside: JsonObject } {
  const {
    stop_reason: _reason,
    stop_details: _details,
    ...fields
  } = findAdditionalFields(end, 'messages', MESSAGE_FIELDS);
  if (end.formatSpecific?.format !== 'messages') return { inside: fields, beside: {} };
  const [beside, inside] = splitFields(fields, BESIDE_DELTA);
  return { inside, beside };
}
