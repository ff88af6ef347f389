/**
 * Which answers are running, as the browser's tabs tell each other by locks: a tab that is closed or crashes lets go of
 * its own. A page over plain HTTP has no locks, except on this machine itself (they need a secure context, MDN). An
 * answer that runs in another tab then counts as stopped.
 */

import type { Conversation, Node } from './conversation.ts';

const PREFIX = 'gateway-console-answer-';

function findLocks(): LockManager | undefined {
  return 'locks' in navigator ? navigator.locks : undefined;
}

/** Tells other tabs that an answer is running. @returns tells them that it has ended */
export function announceAnswer(id: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  findLocks()
    ?.request(PREFIX + id, () => promise)
    .catch((error: unknown) => console.warn('Other tabs do not know of this answer.', error));
  return resolve;
}

/** Calls `onEnd` when the tab of a running answer has ended it, or has gone. */
export function followAnswer(id: string, onEnd: () => void): void {
  findLocks()
    ?.request(PREFIX + id, { mode: 'shared' }, onEnd)
    .catch((error: unknown) => console.warn('The end of an answer is not known.', error));
}

/**
 * Says of each unfinished answer of a stored conversation whether another tab goes on with it. Nothing will complete any
 * other one.
 */
export async function settleAnswers(conversation: Conversation): Promise<Conversation> {
  const unfinished = Object.values(conversation.nodes).flatMap((node) =>
    node.kind === 'answer' && node.state === 'streaming' ? [node] : [],
  );
  if (unfinished.length === 0) return conversation;
  const running = await listRunning();
  return changeNodes(
    conversation,
    unfinished.map((node) => ({ ...node, state: running.has(node.id) ? 'elsewhere' : 'stopped' })),
  );
}

/** The conversation with other nodes in the places of those with their ids. */
export function changeNodes(conversation: Conversation, changed: readonly Node[]): Conversation {
  const nodes = Object.fromEntries(changed.map((node) => [node.id, node]));
  return { ...conversation, nodes: { ...conversation.nodes, ...nodes } };
}

async function listRunning(): Promise<ReadonlySet<string>> {
  try {
    const { held = [] } = (await findLocks()?.query()) ?? {};
    return new Set(held.map(({ name = '' }) => name.slice(PREFIX.length)));
  } catch (error) {
    console.warn('Answers of other tabs are not known.', error);
    return new Set();
  }
}
