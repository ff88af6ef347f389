/** The calls that have no result yet. A result answers the oldest pending call with its id or its name. */

import type { ToolCallPart } from '../../../conversation/prompt.ts';

/** Calls in their order. Those before `next` are answered. */
interface Queue {
  readonly calls: ToolCallPart[];
  next: number;
}

interface Tables {
  readonly answered: Set<ToolCallPart>;
  readonly all: Queue;
  readonly ids: Map<string, Queue>;
  readonly names: Map<string, Queue>;
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
  // Most conversations have no calls, and need no tables.
  let tables: Tables | undefined;

  const take = (queue: Queue | undefined): ToolCallPart | undefined => {
    if (tables === undefined || queue === undefined) return undefined;
    const { answered } = tables;
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
      if (calls.length === 0) return;
      tables ??= { answered: new Set(), all: { calls: [], next: 0 }, ids: new Map(), names: new Map() };
      const { all, ids, names } = tables;
      for (const call of calls) {
        all.calls.push(call);
        push(ids, call.id, call);
        push(names, call.name, call);
      }
    },
    byId: (id) => take(tables?.ids.get(id)),
    byName: (name) => take(tables?.names.get(name)),
    oldest: () => take(tables?.all),
  };
}

function push(queues: Map<string, Queue>, key: string, call: ToolCallPart): void {
  const queue = queues.get(key);
  if (queue) queue.calls.push(call);
  else queues.set(key, { calls: [call], next: 0 });
}
