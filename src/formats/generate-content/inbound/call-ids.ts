/** The ids of a request's calls. Callers may leave them out, and then name only the function that a response is of. */

import { flat } from '../../../lib/flat-text.ts';
import { callIdPrefix, makeCallId } from '../wire/ids.ts';

/** Gives each call an id, and finds for each response the call that it answers. */
export interface CallIds {
  /** Tells that the user speaks, so that the calls which follow are of another step than those before. */
  beginUserTurn(): void;
  /** The id of a call. @param id the caller's own; undefined or '' if it gave none. */
  ofCall(name: string, id: string | undefined): string;
  /**
   * The id of the call that a response answers: the one with its own id; or else the oldest unanswered call of its name,
   * which Google takes too if the call has no id. Calls of an earlier step do not wait while a later one has the same:
   * the user may have interrupted them. Only a response without a call keeps its own id, or gets one.
   */
  ofResult(name: string, id: string | undefined): string;
}

interface Call {
  readonly id: string;
  isAnswered: boolean;
}

/** The calls of one step in their order; those before `next` are answered. */
interface Queue {
  readonly step: number;
  readonly calls: Call[];
  next: number;
}

interface Tables {
  /** The calls to which the caller has given an id, by it. */
  readonly byId: Map<string, Queue>;
  /** The others, by name. */
  readonly unnamed: Map<string, Queue>;
  readonly byName: Map<string, Queue>;
}

/**
 * The ids of one request. Calls and responses must be passed in their order. The cost of each is constant on average.
 */
export function callIds(): CallIds {
  // Most conversations have no calls, and need no tables.
  let made: Tables | undefined;
  const tables = (): Tables => {
    made ??= { byId: new Map(), byName: new Map(), unnamed: new Map() };
    return made;
  };
  let step = 0;
  let calls = 0;
  let strays = 0;
  const add = (queues: Map<string, Queue>, key: string, call: Call): void => {
    const queue = queues.get(key);
    if (queue?.step === step) queue.calls.push(call);
    else queues.set(key, { step, calls: [call], next: 0 });
  };
  return {
    beginUserTurn() {
      step++;
    },
    ofCall(name, given) {
      const { byId, byName, unnamed } = tables();
      const call: Call = { id: given || flat(`${OF_TURNS}${calls}`), isAnswered: false };
      calls++;
      if (given) add(byId, given, call);
      else add(unnamed, name, call);
      add(byName, name, call);
      return call.id;
    },
    ofResult(name, given) {
      const { byId, byName, unnamed } = tables();
      const own = given ? (takeFirst(byId.get(given)) ?? takeFirst(unnamed.get(name))) : undefined;
      const call = own ?? takeFirst(byName.get(name));
      return call?.id ?? (given || makeCallId('stray', strays++));
    },
  };
}

/** Made once: a dialogue may have thousands of calls without ids. */
const OF_TURNS = callIdPrefix('turn');

/** The first call of a queue that is not answered yet; it then is. */
function takeFirst(queue: Queue | undefined): Call | undefined {
  if (queue === undefined) return undefined;
  // Each call is in several queues, so it may have been answered by way of another one.
  while (queue.calls[queue.next]?.isAnswered) queue.next++;
  const call = queue.calls[queue.next];
  if (call) call.isAnswered = true;
  return call;
}
