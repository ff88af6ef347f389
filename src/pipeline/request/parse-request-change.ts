/**
 * Reads what the hook `onRequest` has returned. A guardrail whose result is not understood must not pass for one that
 * wants no change, and code in JavaScript can return anything.
 */

import type { RequestChange } from '../../conversation/hooks.ts';
import type { Part, Prompt, Turn } from '../../conversation/prompt.ts';
import { isRecord } from '../../lib/is-record.ts';

const ROLE_NAMES: Readonly<Record<Turn['role'], true>> = { system: true, user: true, assistant: true };
const KIND_NAMES: Readonly<Record<Part['kind'], true>> = {
  text: true,
  refusal: true,
  thinking: true,
  media: true,
  'tool-call': true,
  'tool-result': true,
  opaque: true,
};
const ROLES: ReadonlySet<unknown> = new Set(Object.keys(ROLE_NAMES));
const KINDS: ReadonlySet<unknown> = new Set(Object.keys(KIND_NAMES));

/**
 * Reads a change; nothing, as a hook without a change returns it, is an empty one.
 * @throws TypeError for anything other than `{ prompt }`, `{ model }` or both, and for something else in place of a
 *   prompt.
 */
export function parseRequestChange(returned: unknown): RequestChange {
  if (returned === undefined || returned === null) return {};
  if (!isRecord(returned)) throw new TypeError(`It returned ${typeof returned}. ${WANTED}`);
  if ('turns' in returned)
    throw new TypeError('It returned a prompt. Return { prompt }, not the prompt itself.');
  const { prompt, model, ...others } = returned;
  const [other] = Object.keys(others);
  if (other !== undefined) throw new TypeError(`It returned an object with the field ${other}. ${WANTED}`);
  if (model !== undefined && typeof model !== 'string')
    throw new TypeError(`The model is no text. ${WANTED}`);
  if (prompt !== undefined) requirePrompt(prompt);
  return { ...(prompt !== undefined && { prompt }), ...(model !== undefined && { model }) };
}

const WANTED = 'Return nothing, { prompt }, { model } or both.';

/** Requires what every renderer relies on: turns, and parts of a known kind. */
function requirePrompt(prompt: unknown): asserts prompt is Prompt {
  if (!isRecord(prompt) || !Array.isArray(prompt['turns']))
    throw new TypeError('The prompt has no list of turns.');
  for (const [at, turn] of prompt['turns'].entries()) {
    if (!isRecord(turn) || !ROLES.has(turn['role']) || !Array.isArray(turn['parts']))
      throw new TypeError(`turns[${at}] of the prompt has no known role, or no list of parts.`);
    for (const part of turn['parts']) {
      if (!isRecord(part) || !KINDS.has(part['kind']))
        throw new TypeError(`turns[${at}] of the prompt has a part of an unknown kind.`);
    }
  }
}
