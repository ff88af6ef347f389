/** What a peer is made from, and what the peers have in common. */

import { spawnSync } from 'node:child_process';
import type { Contender } from '../contenders.ts';
import { inWordsOf, type Scenario } from '../scenarios.ts';

/** What `--peers` says of one. */
export interface Named {
  /** Absent: the one that the bench was written with, or what the program says. */
  readonly version: string | undefined;
  /** Its program, if it is not installed from a registry. */
  readonly program: string | undefined;
  /** The port of the bench's upstream. */
  readonly upstream: number;
}

/** A contender that others have written, with all that a reader has to know of it. */
export type Peer = Contender & Required<Pick<Contender, 'version' | 'setup'>>;

/** The key that a peer expects from its callers. */
export const PEER_KEY = 'sk-only4benches0123456789abcdefghijklmnopqrstuvw012';

/** Asks a peer that has the vendors' own names for their models, and the key above. */
export const askPlainly = (scenario: Scenario) =>
  inWordsOf(scenario, scenario.model, { authorization: `Bearer ${PEER_KEY}` });

/** The first line that a program prints of its version. */
export function versionOf(program: string): string {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 10_000 });
  return (stdout ?? '').trim().split('\n')[0] || 'unknown';
}
