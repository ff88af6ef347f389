/** One dispatcher for all origins that passes each request to the agent of its origin. */

import { Dispatcher } from 'undici';

/** undici takes iterable bodies, too (its docs, `Dispatcher.dispatch`), but its types lack them. */
export type VendorDispatch = Omit<Dispatcher.DispatchOptions, 'body'> & {
  readonly body?: Dispatcher.DispatchOptions['body'] | AsyncIterable<Uint8Array>;
};

/** Dispatches requests to vendors. */
export interface VendorAgent extends Dispatcher {
  dispatch(options: VendorDispatch, handler: Dispatcher.DispatchHandler): boolean;
  /** To be called when a caller leaves an exchange with this origin, before it is aborted. */
  left?(origin: string): void;
}

/** What ends with an agent. */
interface Destroyable {
  destroy(reason: Error | null): Promise<void>;
}

export class OriginAgent extends Dispatcher implements VendorAgent {
  readonly #find: (origin: string) => Dispatcher;
  readonly #parts: readonly Destroyable[];
  readonly #onLeft: ((origin: string) => void) | undefined;

  /**
   * @param find returns the agent for an origin.
   * @param parts are destroyed with this one: all those agents.
   * @param onLeft called when a caller leaves an exchange.
   */
  constructor(
    find: (origin: string) => Dispatcher,
    parts: readonly Destroyable[],
    onLeft?: (origin: string) => void,
  ) {
    super();
    this.#find = find;
    this.#parts = parts;
    this.#onLeft = onLeft;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return this.#find(String(options.origin)).dispatch(options, handler);
  }

  left(origin: string): void {
    this.#onLeft?.(origin);
  }

  override destroy(...given: unknown[]): Promise<void> {
    const [error] = given;
    const reason = error instanceof Error ? error : null;
    return Promise.all(this.#parts.map((part) => part.destroy(reason))).then(() => undefined);
  }
}
