/** Three gateways that share a PostgreSQL and a Redis and do not know of each other, as replicas do. */

import { madeKey } from '../../src/server/http/admin/key-routes.ts';
import { type Answer, call } from '../support/caller.ts';
import { vendorsAtUrl } from '../support/gateway.ts';
import { type GatewayProcess, spawnGateway } from '../support/process.ts';

const ADMIN_KEY = 'the-key-of-the-admin';

export interface Replica extends GatewayProcess {
  /** Changes keys and groups through this replica's admin API. */
  admin(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<unknown>;
}

/** Starts three at the same time, on a database that may be empty. */
export async function startReplicas(
  vendor: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly Replica[]> {
  // Load shedding is off: on a machine that runs many tests at once, they would otherwise reject requests of
  // these tests.
  const config = {
    vendors: vendorsAtUrl(vendor),
    limits: { eventLoopDelay: 600_000 },
    admin: { key: ADMIN_KEY, port: 0 },
  };
  const started = await Promise.allSettled(
    [1, 2, 3].map(() => spawnGateway(config, { env: { ...env, GATEWAY_LOG: 'none' } })),
  );
  const running = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = started.find((one) => one.status === 'rejected');
  if (failed !== undefined) {
    await Promise.all(running.map((gateway) => gateway.close()));
    throw failed.reason;
  }
  return running.map((gateway) => ({
    ...gateway,
    async admin(method, path, body) {
      const [, url] = /Admin API on (http:\/\/\S+)\./.exec(gateway.output()) ?? [];
      const answer = await fetch(`${url}/admin${path}`, {
        method,
        headers: { authorization: `Bearer ${ADMIN_KEY}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return answer.json();
    },
  }));
}

/** A new key in the store, created through the admin API of `replica`. */
export async function newKey(
  replica: Replica,
  settings: { readonly name: string; readonly [limit: string]: string | number },
): Promise<{ readonly id: string; readonly key: string }> {
  return madeKey.parse(await replica.admin('POST', '/keys', settings));
}

/** An answer, and the replica that it is from. */
export interface Told extends Answer {
  readonly by: Replica;
}

/** A connection that a replica accepted, and that ended before the head of an answer. */
export class Cut extends Error {
  override readonly name = 'Cut';
  readonly by: Replica;
  constructor(by: Replica, cause: unknown) {
    super('The connection ended without an answer.', { cause });
    this.by = by;
  }
}

export type Ask = (path: string, body: string, key: string) => Promise<Told>;

/**
 * A minimal load balancer: each request goes to the next replica, and on to the one after it if the
 * connection is refused. @throws Cut
 */
export function roundRobin(replicas: readonly Replica[]): Ask {
  let turn = 0;
  return async (path, body, key) => {
    // From here it counts for itself: concurrent callers could otherwise lead it to the same replica each
    // time.
    const first = turn++;
    for (const further of replicas.keys()) {
      const by = replicas[(first + further) % replicas.length];
      if (by === undefined) break;
      try {
        return { by, ...(await call(by.url, path, body, key)) };
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED'))
          throw new Cut(by, error);
      }
    }
    throw new Error('None of the replicas is there.');
  };
}
