/** Which end user a request is for, as its body says. */

import { hash } from 'node:crypto';
import { MAX_TAG_LENGTH } from '../../accounting/usage/tag.ts';
import { asObject, asText, tryParseJson } from '../../lib/json.ts';
import { shortValue } from '../body/scanned.ts';
import type { Routed } from '../exchange.ts';

/** OpenAI's fields, the newer one first; the other is `user_id` in the `metadata` of Anthropic. */
const FIELDS = ['safety_identifier', 'user'] as const;

const PRINTABLE = /^[\x20-\x7e]+$/;

/**
 * The end user as a tag; undefined if the body names none. A name that is too long for a tag, or is not ASCII, becomes a
 * hash: the same name is always the same tag.
 */
export function findEndUser(routed: Pick<Routed, 'body' | 'scan'>): string | undefined {
  const named =
    FIELDS.map((field) => asText(shortValue(routed, field))).find(Boolean) ??
    asText(asObject(shortValue(routed, 'metadata'))?.['user_id']);
  if (!named) return undefined;
  const user = withoutSession(named);
  return user.length <= MAX_TAG_LENGTH && PRINTABLE.test(user) ? user : `user-${hash('sha256', user)}`;
}

/**
 * Claude Code puts the session into the user's id: at the end of a text, or as a field of an object in JSON (since 2.1).
 * Without it, all sessions of a user are one.
 */
function withoutSession(user: string): string {
  const object = user.startsWith('{') ? asObject(tryParseJson(user)) : undefined;
  if (object === undefined) return user.replace(/_session_[0-9a-f-]+$/, '');
  const { session_id: _, ...rest } = object;
  return asText(rest['account_uuid']) || asText(rest['device_id']) || JSON.stringify(rest);
}
