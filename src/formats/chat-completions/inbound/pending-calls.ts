/** The calls that have no result yet. A result answers the oldest pending call with its id or its name. */

import type { ToolCallPart } from '../../../conversation/prompt.ts';

/** Calls in their order. Those before `next` are answered. */
interface Queue {
  readonly calls: ToolCallPart[];
  next: number;
}

export interface PendingCalls {
  add(calls: readonly ToolCallPart[]): void;
  /** Each of these three removes the call that it finds. */
  byId(id: string): ToolCallPart | undefined;
  byName(name: string): ToolCallPart | undefined;
  oldest(): ToolCallPart | undefined;
}

/** No calls at first. Adding and taking a call cost the same however long the conversation is. */
export function pendingCalls(): PendingCalls {
  const answered = new Set<ToolCallPart>();
  const all: Queue = { calls: [], next: 0 };
  const ids = new Map<string, Queue>();
  const names = new Map<string, Queue>();

  const take = (queue: Queue | undefined): ToolCallPart | undefined => {
    if (queue === undefined) return undefined;
    for (;;) {
      const call = queue.calls[queue.next];
      if (call === undefined) return undefined;
      queue.next += 1;
      if (answered.has(call)) continue;
      answered.add(call);
      return call;
    }
  };

  return {
    add(calls) {
      for (const call of calls) {
        all.calls.push(call);
        push(ids, call.id, call);
        push(names, call.name, call);
      }
    },
    byId: (id) => take(ids.get(id)),
    byName: (name) => take(names.get(name)),
    oldest: () => take(all),
  };
}

function push(queues: Map<string, Queue>, key: string, call: ToolCallPart): void {
  const queue = queues.get(key);
  if (queue) queue.calls.push(call);
  else queues.set(key, { calls: [call], next: 0 });
}
