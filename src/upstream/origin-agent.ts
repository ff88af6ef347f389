/** One dispatcher for all origins that passes each request to the agent of its origin. */

import { Dispatcher } from 'undici';

export class OriginAgent extends Dispatcher {
  readonly #find: (origin: string) => Dispatcher;
  readonly #agents: readonly Dispatcher[];

  /** @param find returns one of `agents` for an origin. @param agents are destroyed with this one. */
  constructor(find: (origin: string) => Dispatcher, agents: readonly Dispatcher[]) {
    super();
    this.#find = find;
    this.#agents = agents;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return this.#find(String(options.origin)).dispatch(options, handler);
  }

  override destroy(...given: unknown[]): Promise<void> {
    const [error] = given;
    const reason = error instanceof Error ? error : null;
    return Promise.all(this.#agents.map((agent) => agent.destroy(reason))).then(() => undefined);
  }
}
