/** The contenders: how each is started, and what is sent to each. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Address } from './client.ts';
import {
  type Measured,
  PORTKEY_VERSION,
  portkeyInstalled,
  startBareProxy,
  startGateway,
  startPortkey,
} from './processes.ts';
import type { Request, Scenario } from './scenarios.ts';

export interface Contender {
  readonly name: string;
  start(port: number): Promise<Measured>;
  /** What is sent to it; undefined if it does not support this. */
  request(scenario: Scenario): Request | undefined;
  /** Whether it passes the vendor's answer on unchanged. */
  readonly bare?: boolean;
}

/** Another gateway, already running, with the bench's upstream for its vendors. */
export interface Other {
  readonly address: Address;
  /** The part of its paths before `/chat/completions` and `/messages`. */
  readonly path: string;
  readonly key: string | undefined;
  readonly pid: number | undefined;
  /** Its names of the models, by vendor; a scenario without its model is left out. */
  readonly models: Readonly<Partial<Record<Scenario['vendor'], string>>>;
}

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

const portkey: Contender = {
  name: 'portkey',
  start: startPortkey,
  request: (scenario) => scenario.portkey,
};

function running({ address, path, key, pid, models }: Other): Contender {
  return {
    name: `${address.host}:${address.port}`,
    start: async () => ({ ...address, ...(pid !== undefined && { pid }), stop: () => undefined }),
    request({ vendor, gateway: ours }) {
      const model = models[vendor];
      if (model === undefined) return undefined;
      const { authorization: _, ...headers } = ours.headers;
      return {
        path: `${path}${ours.path.slice('/v1'.length)}`,
        headers: { ...headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
        body: JSON.stringify({ ...JSON.parse(ours.body), model }),
      };
    },
  };
}

/** The bare proxy, the gateway, and the other gateway or else Portkey's if npm can install it. */
export function contendersBefore(upstream: number, other?: Other): readonly Contender[] {
  const rival = other ? [running(other)] : portkeyInstalled() ? [portkey] : [];
  return [bareProxy(upstream), gateway(upstream), ...rival];
}

/** Versions of the other contenders. */
export function versions(contenders: readonly Contender[]): Readonly<Record<string, string>> {
  const undici = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../node_modules/undici/package.json'), 'utf8'),
  );
  return {
    undici: String(undici.version),
    ...(contenders.includes(portkey) && { portkey: PORTKEY_VERSION }),
  };
}
