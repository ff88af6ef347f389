/** The values of the effective configuration, as the admin API lists them. */

import type { Session } from '../session/session.ts';
import { askAdmin } from './ask-admin.ts';

export interface ConfigEntry {
  readonly path: string;
  readonly value: unknown;
  readonly secret: boolean;
  readonly source: string;
}

/** @throws Refused, and Error if the gateway cannot be reached */
export async function askConfig(session: Session): Promise<readonly ConfigEntry[]> {
  const { data } = await askAdmin<{ readonly data: readonly ConfigEntry[] }>(session, 'GET', '/admin/config');
  return data;
}

/** The time zone of the days in reports. */
export function findTimeZone(entries: readonly ConfigEntry[]): string {
  return String(entries.find(({ path }) => path === 'usage.timeZone')?.value ?? 'UTC');
}

/** Whether no vendor is configured, so that every answer is simulated. */
export function isSandboxAlone(entries: readonly ConfigEntry[]): boolean {
  return !entries.some(({ path }) => path.startsWith('vendors.'));
}
