/** Who makes a change to keys or groups. */

import type { AuditRow } from './tables.ts';

/** Where a change comes from: the admin API, a command, or the gateway itself at its start. */
export const AUDIT_SOURCES = ['api', 'command', 'start'] as const;

/** Who makes a change. */
export interface Actor {
  readonly via: (typeof AUDIT_SOURCES)[number];
  /** The user of the machine, the person who signed in to the console, or who the caller of the admin API says to be. */
  readonly name?: string | undefined;
  /** The address of the caller of the admin API. */
  readonly address?: string | undefined;
  /** Receives each entry once it is written. */
  readonly onEntry?: ((entry: AuditRow) => void) | undefined;
}
