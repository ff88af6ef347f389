/** Who is measured beside whom: how each is started, and what each is sent. */

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
  /** What it is sent; undefined where it cannot do this. */
  request(scenario: Scenario): Request | undefined;
  /** Whether it gives what the vendor says as it is. */
  readonly bare?: boolean;
}

/** Another gateway, already running, with our upstream for its vendors. */
export interface Other {
  readonly address: Address;
  /** What comes before `/chat/completions` and `/messages` in its paths. */
  readonly path: string;
  readonly key: string | undefined;
  readonly pid: number | undefined;
  /** Its names of the models, by who answers them; a scenario whose is absent is left out. */
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

/** The bare proxy, the gateway, and the other one or else Portkey's where npm gives it. */
export function contendersBefore(upstream: number, other?: Other): readonly Contender[] {
  const rival = other ? [running(other)] : portkeyInstalled() ? [portkey] : [];
  return [bareProxy(upstream), gateway(upstream), ...rival];
}

/** Versions of what is measured beside the gateway. */
export function versions(contenders: readonly Contender[]): Readonly<Record<string, string>> {
  const undici = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../node_modules/undici/package.json'), 'utf8'),
  );
  return {
    undici: String(undici.version),
    ...(contenders.includes(portkey) && { portkey: PORTKEY_VERSION }),
  };
}
