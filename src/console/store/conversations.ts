/**
 * The conversations of this browser, in IndexedDB. A list of them needs their heads only, so these are stored apart. So is
 * the trace of each answer, since a conversation is written whole each time it is kept. The events of a stream are some
 * twenty times as long as its words, and each request repeats the conversation before it, with all its files. A browser
 * that keeps no data has all of it in memory, as long as the page is open.
 */

import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { type Conversation, makeId, type Node, type Trace, writtenText } from '../chat/conversation.ts';

/** What the list shows and searches. */
export interface Head {
  readonly id: string;
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly updated: number;
  /** All that was said, cut to a length that is quick to search. */
  readonly words: string;
  /** The tab that kept it last. */
  readonly tab?: string;
}

export interface ConversationStore {
  /** The newest first. */
  list(): Promise<readonly Head[]>;
  get(id: string): Promise<Conversation | undefined>;
  /** Keeps a conversation, with the turns that another tab has added to it meanwhile. */
  put(conversation: Conversation): Promise<void>;
  /** The trace of an answer; undefined if it is not kept, such as one that is very long. */
  readTrace(conversation: string, answer: string): Promise<Trace | undefined>;
  remove(id: string): Promise<void>;
  /** Calls `listener` when another tab has changed a conversation. */
  follow(listener: () => void): void;
}

interface Schema extends DBSchema {
  heads: { key: string; value: Head };
  conversations: { key: string; value: Conversation };
  /** By the ids of the conversation and of the answer. */
  traces: { key: [string, string]; value: Trace };
}

const NAME = 'gateway-console';

/** Letters of a conversation that are searched. */
const MAX_SEARCHED = 50_000;

/** Letters of the longest trace that is kept. The inspector says so. */
const MAX_TRACE = 1_000_000;

export async function openConversations(): Promise<ConversationStore> {
  try {
    const database = await openDB<Schema>(NAME, 2, {
      upgrade(changed, before) {
        if (before < 1) {
          changed.createObjectStore('heads', { keyPath: 'id' });
          changed.createObjectStore('conversations', { keyPath: 'id' });
        }
        changed.createObjectStore('traces');
      },
      // A tab of a later console can then change it. This one says that it keeps nothing more.
      blocking: () => database.close(),
    });
    return inDatabase(database);
  } catch {
    return inMemory();
  }
}

function inDatabase(database: IDBPDatabase<Schema>): ConversationStore {
  const tabs = new BroadcastChannel(NAME);
  const tab = makeId();
  /** What other tabs had kept of a conversation when this one read it last. */
  const ofOthers = new Map<string, Conversation>();
  /** What is kept already. The trace of an answer that has ended stays the same object. */
  const keptTraces = new WeakSet<Trace>();
  return {
    list: async () => newestFirst(await database.getAll('heads')),
    get: (id) => database.get('conversations', id),
    async put(conversation) {
      const change = database.transaction(['heads', 'conversations', 'traces'], 'readwrite');
      const [heads, conversations] = [change.objectStore('heads'), change.objectStore('conversations')];
      const traces = listTraces(conversation).filter(([, trace]) => !keptTraces.has(trace));
      const add = async (): Promise<void> => {
        const last = await heads.get(conversation.id);
        // A long conversation takes a while to read, which is only needed if another tab has kept it since.
        const read = last && last.tab !== tab ? await conversations.get(conversation.id) : undefined;
        if (read) ofOthers.set(read.id, read);
        const merged = merge(ofOthers.get(conversation.id), conversation);
        await Promise.all([
          heads.put({ ...makeHead(merged), tab }),
          conversations.put(withoutTraces(merged)),
          ...traces
            .filter(([, trace]) => isShort(trace))
            .map(([id, trace]) => change.objectStore('traces').put(trace, [conversation.id, id])),
        ]);
      };
      await Promise.all([add(), change.done]);
      for (const [, trace] of traces) keptTraces.add(trace);
      tabs.postMessage('changed');
    },
    readTrace: (conversation, answer) => database.get('traces', [conversation, answer]),
    async remove(id) {
      const change = database.transaction(['heads', 'conversations', 'traces'], 'readwrite');
      await Promise.all([
        change.objectStore('heads').delete(id),
        change.objectStore('conversations').delete(id),
        // A list comes after all strings, so these are all keys that begin with the conversation.
        change.objectStore('traces').delete(IDBKeyRange.bound([id], [id, []])),
        change.done,
      ]);
      tabs.postMessage('changed');
    },
    follow(listener) {
      tabs.addEventListener('message', listener);
    },
  };
}

/** Adds what another tab has kept: its turns, and the ends of answers that this tab only knows from their beginning. */
function merge(kept: Conversation | undefined, conversation: Conversation): Conversation {
  const nodes = { ...kept?.nodes, ...conversation.nodes };
  for (const node of Object.values(kept?.nodes ?? {})) {
    const ours = conversation.nodes[node.id];
    if (node.kind === 'answer' && ours?.kind === 'answer' && ours.endedAfter === undefined)
      nodes[node.id] = node;
  }
  return { ...conversation, nodes };
}

/** The traces of the answers that have ended, by the answers' ids. */
function listTraces({ nodes }: Conversation): readonly (readonly [string, Trace])[] {
  return Object.values(nodes).flatMap((node) =>
    node.kind === 'answer' && node.trace && node.endedAfter !== undefined
      ? [[node.id, node.trace] as const]
      : [],
  );
}

function withoutTraces(conversation: Conversation): Conversation {
  const nodes = Object.entries(conversation.nodes).map(([id, node]): [string, Node] => {
    if (node.kind !== 'answer') return [id, node];
    const { trace, ...rest } = node;
    return [id, rest];
  });
  return { ...conversation, nodes: Object.fromEntries(nodes) };
}

function isShort({ request, events }: Trace): boolean {
  const received = events.reduce((sum, { data }) => sum + data.length, 0);
  return received + JSON.stringify(request.body).length <= MAX_TRACE;
}

function inMemory(): ConversationStore {
  const kept = new Map<string, Conversation>();
  return {
    list: async () => newestFirst([...kept.values()].map(makeHead)),
    get: async (id) => kept.get(id),
    async put(conversation) {
      kept.set(conversation.id, conversation);
    },
    // The answers have their traces with them.
    readTrace: async () => undefined,
    async remove(id) {
      kept.delete(id);
    },
    // No other tab sees what this one has in memory.
    follow: () => undefined,
  };
}

function newestFirst(heads: readonly Head[]): readonly Head[] {
  return heads.toSorted((a, b) => b.updated - a.updated);
}

function makeHead({ id, title, updated, nodes }: Conversation): Head {
  const words = Object.values(nodes)
    .map((node) => (node.kind === 'user' ? node.text : node.kind === 'answer' ? writtenText(node) : ''))
    .join('\n')
    .slice(0, MAX_SEARCHED);
  return { id, title, updated, words };
}
