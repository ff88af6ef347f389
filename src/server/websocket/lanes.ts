/**
 * The requests of one connection, in lanes. Requests of the same lane are answered one after another, and lanes are
 * answered in parallel (OpenAI documentation, "WebSocket mode").
 */

import { GatewayError } from '../../lib/errors.ts';

/** OpenAI's own bounds of a connection: its named lanes, and the answers that are given at the same time. */
const MAX_LANES = 32;
const MAX_CONCURRENT = 16;

/**
 * The connection is not read while this many requests are open. A connection that is not read notices no ping and no
 * end.
 */
const MAX_OPEN = 2 * MAX_LANES;

/** The lane of requests that name none. */
export const NO_LANE = '';

/** The open requests of a connection. */
export interface Lanes {
  /**
   * Queues a request behind those of its lane.
   * @param size bytes of its message
   * @param answer runs when it is the request's turn, and must not reject
   * @throws GatewayError `invalid-request` if the connection has too many lanes already
   */
  add(lane: string | undefined, size: number, answer: () => Promise<void>): void;
  /** How many requests wait or are being answered. */
  open(): number;
  /** Bytes of the requests that wait. A request that is being answered has given its bytes to the exchange. */
  waiting(): number;
  /** Whether no more requests should be read for now. */
  isFull(): boolean;
}

/** What lanes need of their session. */
export interface LaneOptions {
  /** Bytes of open requests beyond which no more are read. */
  readonly bodyLimit: number;
  /** Called when `waiting` or `isFull` has changed because a request came or began. */
  changed(): void;
  /** Called when a request has been answered. */
  answered(): void;
}

/** @returns the lanes of one connection, without requests */
export function openLanes({ bodyLimit, changed, answered }: LaneOptions): Lanes {
  /** The last request of each lane that has ever been named. It settles when it has been answered. */
  const last = new Map<string, Promise<void>>();
  const semaphore = openSemaphore(MAX_CONCURRENT);
  let open = 0;
  let held = 0;
  let waiting = 0;

  async function runInTurn(
    before: Promise<void> | undefined,
    size: number,
    answer: () => Promise<void>,
  ): Promise<void> {
    await before;
    await semaphore.take();
    waiting -= size;
    changed();
    await answer();
    semaphore.free();
    open -= 1;
    held -= size;
    answered();
  }

  return {
    add(lane = NO_LANE, size, answer) {
      const before = last.get(lane);
      const named = last.size - (last.has(NO_LANE) ? 1 : 0);
      if (before === undefined && lane !== NO_LANE && named >= MAX_LANES) {
        throw new GatewayError('invalid-request', `A connection can have at most ${MAX_LANES} streams.`, {
          param: 'stream_id',
          code: 'websocket_stream_limit_reached',
        });
      }
      open += 1;
      held += size;
      waiting += size;
      changed();
      last.set(lane, runInTurn(before, size, answer));
    },
    open: () => open,
    waiting: () => waiting,
    isFull: () => open >= MAX_OPEN || held >= bodyLimit,
  };
}

/**
 * When all permits are taken, callers wait for one in turn.
 * @param count the number of permits, all free
 * @returns the semaphore; `take` resolves when a permit is free, and `free` gives one back
 */
function openSemaphore(count: number) {
  const waiting: (() => void)[] = [];
  let left = count;
  return {
    async take(): Promise<void> {
      if (left === 0) return new Promise<void>((resolve) => waiting.push(resolve));
      left -= 1;
    },
    free(): void {
      const next = waiting.shift();
      if (next === undefined) left += 1;
      else next();
    },
  };
}
