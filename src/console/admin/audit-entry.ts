/** Entries of the audit trail in words: what was done, and what changed by it, field by field. */

import { isObject, type JsonObject } from '../formats/json.ts';

export interface AuditStates {
  /** The fields before the change; null: it was new. */
  readonly before: JsonObject | null;
  /** The fields after the change; null: it was gone. */
  readonly after: JsonObject | null;
}

export interface FieldChange {
  /** The name of the field; with dots where it is inside another one. */
  readonly field: string;
  /** The values that are gone; empty if the field was not set. */
  readonly removed: readonly string[];
  /** The values that are new; empty if the field is not set any more. */
  readonly added: readonly string[];
}

/** The actions of the trail, by their names for people. */
export const ACTIONS: Readonly<Record<string, string>> = {
  'key.created': 'Key created',
  'key.changed': 'Key changed',
  'key.rotated': 'Key rotated',
  'key.revoked': 'Key revoked',
  'group.created': 'Group created',
  'group.changed': 'Group changed',
  'group.deleted': 'Group deleted',
  'caller.erased': 'Caller erased',
  'tag.erased': 'Tag erased',
};

/** The fields that say again what the entry itself says. */
const SAID_BY_THE_ENTRY: ReadonlySet<string> = new Set(['object', 'id', 'name', 'created_at']);

/** The fields whose values differ. Of a list, only the items that differ. A field that is null is not set. */
export function listChanges({ before, after }: AuditStates): readonly FieldChange[] {
  return changesBetween(before ?? {}, after ?? {}).filter(({ field }) => !SAID_BY_THE_ENTRY.has(field));
}

/** One change as a line of text. */
export function writeChange({ field, removed, added }: FieldChange): string {
  return `${field}: ${removed.join(', ') || NOT_SET} → ${added.join(', ') || NOT_SET}`;
}

/** What stands for the value of a field that is not set. */
export const NOT_SET = 'not set';

function changesBetween(before: JsonObject, after: JsonObject, path = ''): readonly FieldChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name): readonly FieldChange[] => {
    const [old, present] = [before[name], after[name]];
    const field = path + name;
    if (isObject(old ?? {}) && isObject(present ?? {}) && (isObject(old) || isObject(present)))
      return changesBetween(isObject(old) ? old : {}, isObject(present) ? present : {}, `${field}.`);
    const [oldItems, presentItems] = [listItems(old), listItems(present)];
    const removed = oldItems.filter((item) => !presentItems.includes(item));
    const added = presentItems.filter((item) => !oldItems.includes(item));
    return removed.length + added.length > 0 ? [{ field, removed, added }] : [];
  });
}

/** The values of a field as texts: none if it is not set, one for each item of a list. */
function listItems(value: unknown): readonly string[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) return [writeValue(value)];
  // An empty list is not the same as none: it allows nothing.
  return value.length === 0 ? ['[]'] : value.map(writeValue);
}

function writeValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
