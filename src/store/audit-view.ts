/** Entries of the audit trail as the admin API, the command line and the log show them. */

import { z } from 'zod';
import { parseJson } from '../lib/json.ts';
import { AUDIT_SOURCES } from './actor.ts';
import { AUDIT_ACTIONS } from './audit.ts';
import type { AuditRow } from './tables.ts';

/** One of the values that this version writes, or one that a newer version has written into the same store. */
function orNewer(values: readonly string[]) {
  return z.string().meta({ examples: [...values] });
}

/** The fields of a key or a group that an entry shows. */
const state = z.record(z.string(), z.unknown()).nullable();

export const auditEntry = z.strictObject({
  object: z.literal('audit_entry'),
  id: z.string(),
  time: z.iso.datetime(),
  via: orNewer(AUDIT_SOURCES).meta({
    description: 'Where the change came from: the admin API, a command, or the gateway itself at its start.',
  }),
  actor: z.string().nullable().meta({
    description:
      'Who made it: the user of the machine for a command; for the admin API the person who signed in to the console, or what the header `x-gateway-actor` says.',
  }),
  address: z.string().nullable().meta({ description: 'The address of the caller of the admin API.' }),
  action: orNewer(AUDIT_ACTIONS).meta({ description: 'What was done.' }),
  target: z.string().meta({ description: 'The name of the key or the group.' }),
  target_id: z.string().nullable().meta({ description: 'The id of the key.' }),
  before: state.meta({ description: 'The key or the group before the change. null: it is new.' }),
  after: state.meta({ description: 'The key or the group after the change. null: it is gone.' }),
});

export type AuditEntry = z.output<typeof auditEntry>;

/** A newer version may have added columns. */
const knownColumns = auditEntry.strip();

/** An entry as this version knows it. @throws ZodError if the row cannot be read. */
export function renderAudit({ time, before, after, ...row }: AuditRow): AuditEntry {
  return knownColumns.parse({
    object: 'audit_entry',
    ...row,
    time: new Date(time).toISOString(),
    before: before && parseJson(before),
    after: after && parseJson(after),
  });
}

/** The fields that an entry has changed, as `field: before → after`. */
export function describeChanges({ before, after }: Pick<AuditEntry, 'before' | 'after'>): string {
  if (before === null || after === null) return '';
  return Object.keys({ ...before, ...after })
    .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
    .map(
      (field) =>
        `${field}: ${JSON.stringify(before[field] ?? null)} → ${JSON.stringify(after[field] ?? null)}`,
    )
    .join(', ');
}
