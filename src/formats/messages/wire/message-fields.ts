/** The fields of a message besides its content (API reference, "Message"). */

import { wordList, wordSet } from '../../../lib/words.ts';
import { GUARDRAIL_ACTION } from '../../bedrock-guardrail.ts';

/** Fields of a message's beginning that only Anthropic has. */
export const START_FIELDS: ReadonlySet<string> = new Set(['diagnostics']);

/**
 * Fields of an answer's end that every format has words for, and those that only Anthropic has. Two are beta, and the last is
 * Amazon's.
 */
export const STOP_FIELDS: ReadonlySet<string> = new Set(['stop_reason', 'stop_sequence']);
export const OWN_END_FIELDS = wordSet(
  `stop_details container context_management input_transformations ${GUARDRAIL_ACTION}`,
);

/** All fields of an answer's end that are known. */
export const END_FIELDS: readonly string[] = [...STOP_FIELDS, ...OWN_END_FIELDS];

/** Fields of a message that are read one by one. */
export const READ_FIELDS: ReadonlySet<string> = new Set([
  ...wordList('type role id model content usage'),
  ...END_FIELDS,
]);

/** All fields of a message, and of the event that ends its stream. */
export const MESSAGE_FIELDS: ReadonlySet<string> = new Set([...READ_FIELDS, ...START_FIELDS, 'delta']);
