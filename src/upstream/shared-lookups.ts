/**
 * Lookups that many connections share. `dns.lookup` takes one of libuv's threads for as long as it lasts, and libuv has
 * two of its four threads look names up (nodejs/node#8436). A name server that does not answer is waited for by the
 * system, for 5 s and longer, whatever the timeout of a connection: two requests to one vendor would have all other
 * vendors' connections wait, and fail.
 */

import type { LookupAddress, LookupOptions } from 'node:dns';
import { errorCode } from '../lib/error-code.ts';

/** The signature of `dns.lookup`. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: Callback,
) => void;

type Callback = (error: Error | null, addresses: LookupAddress[]) => void;

/** Node's code for a name server that has not answered, or says that it fails at the moment ("getaddrinfo(3)"). */
const UNANSWERED = 'EAI_AGAIN';

/**
 * Has each name looked up once at a time. What comes of it is for all who wait for it then, and not cached. Names that
 * were not answered last time are looked up one after the other, so that one thread is left for the others, however many
 * name servers are away.
 */
export function shareLookups(resolve: Resolve): Resolve {
  const waiting = new Map<string, Callback[]>();
  const unanswered = new Set<string>();
  /** Lookups of such names. The first one has begun. */
  const queue: (() => void)[] = [];

  return (hostname, options, callback) => {
    const key = `${hostname} ${options.family} ${options.hints}`;
    const others = waiting.get(key);
    if (others !== undefined) {
      others.push(callback);
      return;
    }
    const callbacks = [callback];
    waiting.set(key, callbacks);
    const isQueued = unanswered.has(hostname);
    const begin = (): void =>
      resolve(hostname, options, (...result) => {
        const [error] = result;
        if (errorCode(error) === UNANSWERED) unanswered.add(hostname);
        else unanswered.delete(hostname);
        waiting.delete(key);
        if (isQueued) {
          queue.shift();
          queue[0]?.();
        }
        for (const each of callbacks) each(...result);
      });
    if (!isQueued || queue.push(begin) === 1) begin();
  };
}
