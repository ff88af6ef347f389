/** Ids of tool calls as Anthropic accepts them: `^[a-zA-Z0-9_-]+$`, and unique within a conversation. */

import { type CallIds, distinctCallIds } from '../../../conversation/rules/distinct-call-ids.ts';
import { fingerprint } from '../../safe-names.ts';

const ID = /^[A-Za-z0-9_-]{1,256}$/;

/** Makes the ids for a conversation's calls and results. */
export function createCallIds(): CallIds {
  return distinctCallIds(safeId);
}

function safeId(id: string): string {
  return ID.test(id) ? id : `toolu_${replaceUnsafe(id).slice(0, 40)}${fingerprint(id).toString(36)}`;
}

/** Replaces every character that Anthropic accepts neither in ids nor in names by an underscore. */
export function replaceUnsafe(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}
