/** Which end user a request is for, as its body says. */

import { hash } from 'node:crypto';
import { OTHER_TAGS } from '../../access/limits/tag-bound.ts';
import { NO_TAG } from '../../access/limits/tags-in-use.ts';
import { MAX_TAG_LENGTH } from '../../accounting/usage/tag.ts';
import { asObject, asText, tryParseJson } from '../../lib/json.ts';
import type { Routed } from '../exchange.ts';
import { namedByField } from './session.ts';

/** OpenAI's fields, the newer one first. */
const FIELDS = ['safety_identifier', 'user'] as const;

const PRINTABLE = /^[\x20-\x7e]+$/;

/** Tags that the gateway makes itself, with the prefix of those that are hashes. */
const OWN_TAGS: ReadonlySet<string> = new Set([NO_TAG, OTHER_TAGS]);
const HASHED = 'user-';

/**
 * The end user as a tag; undefined if the body names none. A name that is too long for a tag, or is not ASCII, becomes a
 * hash: the same name is always the same tag. So does a name that could be the tag of others.
 */
export function findEndUser(routed: Pick<Routed, 'body' | 'scan'>): string | undefined {
  const named = namedByField(routed, FIELDS);
  if (named === undefined) return undefined;
  const user = withoutSession(named);
  const isTag = user.length <= MAX_TAG_LENGTH && PRINTABLE.test(user) && !OWN_TAGS.has(user);
  return isTag && !isHash(user) ? user : HASHED + hash('sha256', user);
}

function isHash(user: string): boolean {
  return user.startsWith(HASHED) && DIGITS.test(user.slice(HASHED.length));
}

/** Claude Code's name of a user and a session. */
const OF_SESSION = /^(user_[0-9a-f]{64}_account_[0-9a-f-]*)_session_[0-9a-f-]+$/;

/** A device as Claude Code names it, and a SHA-256. */
const DIGITS = /^[0-9a-f]{64}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Claude Code puts the session into the user's id: at the end of a text, or as a field of an object in JSON (since 2.1).
 * Without it, all sessions of a user are one. Only exactly its form is read: people who choose their own names could
 * otherwise have one that counts as somebody else's.
 */
function withoutSession(user: string): string {
  const object = user.startsWith('{') ? asObject(tryParseJson(user)) : undefined;
  if (object === undefined) return OF_SESSION.exec(user)?.[1] ?? user;
  const [account = '', device = ''] = [asText(object['account_uuid']), asText(object['device_id'])];
  if (!DIGITS.test(device)) return user;
  return UUID.test(account) ? account : device;
}
