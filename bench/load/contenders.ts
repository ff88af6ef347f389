/** The contenders: how each is started, and what is sent to each. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Measured, startBareProxy, startGateway } from './processes.ts';
import type { Request, Scenario } from './scenarios.ts';

export interface Contender {
  readonly name: string;
  start(port: number): Promise<Measured>;
  /** What is sent to it; undefined if it does not support this. */
  request(scenario: Scenario): Request | undefined;
  /** Whether it passes the vendor's answer on unchanged. */
  readonly bare?: boolean;
  /** Absent for what belongs to this repository. */
  readonly version?: string;
  /** How it was built, how it is set up, and what is switched off. */
  readonly setup?: string;
}

/** The vendor itself, without anything between, which shows the machine's own share. */
export const vendor = (upstream: Measured): Contender => ({
  name: 'direct',
  start: async () => ({ ...upstream, stop: () => undefined }),
  request: ({ direct }) => direct,
  bare: true,
});

const bareProxy = (upstream: number): Contender => ({
  name: 'bare proxy',
  start: (port) => startBareProxy(port, upstream),
  request: ({ direct }) => direct,
  bare: true,
});

const gateway = (upstream: number): Contender => ({
  name: 'gateway',
  start: (port) => startGateway(port, upstream),
  request: (scenario) => scenario.gateway,
});

/** The bare proxy and the gateway. */
export const ownContenders = (upstream: number): readonly Contender[] => [
  bareProxy(upstream),
  gateway(upstream),
];

/** Versions of the contenders that are others' work, and of the bare proxy's client. */
export function versions(contenders: readonly Contender[]): Readonly<Record<string, string>> {
  const undici = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../node_modules/undici/package.json'), 'utf8'),
  );
  return {
    undici: String(undici.version),
    ...Object.fromEntries(
      contenders.flatMap(({ name, version }) => (version === undefined ? [] : [[name, version]])),
    ),
  };
}
