/**
 * Lookups that many connections share. `dns.lookup` takes one of libuv's threads for as long as it lasts, and libuv has
 * two of its four threads look names up (nodejs/node#8436). A name server that does not answer is waited for by the
 * system, for 5 s and longer, whatever the timeout of a connection: two requests to one vendor would have all other
 * vendors' connections wait, and fail.
 */

import type { LookupAddress, LookupOptions } from 'node:dns';

/** The signature of `dns.lookup`. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: Callback,
) => void;

type Callback = (error: Error | null, addresses: LookupAddress[]) => void;

/** Has each name looked up once at a time. What comes of it is for all who wait for it then, and not cached. */
export function shareLookups(resolve: Resolve): Resolve {
  const waiting = new Map<string, Callback[]>();
  return (hostname, options, callback) => {
    const key = `${hostname} ${options.family} ${options.hints}`;
    const others = waiting.get(key);
    if (others !== undefined) {
      others.push(callback);
      return;
    }
    const callbacks = [callback];
    waiting.set(key, callbacks);
    resolve(hostname, options, (...result) => {
      waiting.delete(key);
      for (const each of callbacks) each(...result);
    });
  };
}
