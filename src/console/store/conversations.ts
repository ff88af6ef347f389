/**
 * The conversations of this browser, in IndexedDB. A list of them needs their heads only, so these are stored apart. A
 * browser that keeps no data has them in memory, as long as the page is open.
 */

import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { type Conversation, makeId, writtenText } from '../chat/conversation.ts';

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
  remove(id: string): Promise<void>;
  /** Calls `listener` when another tab has changed a conversation. */
  follow(listener: () => void): void;
}

interface Schema extends DBSchema {
  heads: { key: string; value: Head };
  conversations: { key: string; value: Conversation };
}

const NAME = 'gateway-console';

/** Letters of a conversation that are searched. */
const MAX_SEARCHED = 50_000;

export async function openConversations(): Promise<ConversationStore> {
  try {
    const database = await openDB<Schema>(NAME, 1, {
      upgrade(created) {
        created.createObjectStore('heads', { keyPath: 'id' });
        created.createObjectStore('conversations', { keyPath: 'id' });
      },
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
  return {
    list: async () => newestFirst(await database.getAll('heads')),
    get: (id) => database.get('conversations', id),
    async put(conversation) {
      const change = database.transaction(['heads', 'conversations'], 'readwrite');
      const [heads, conversations] = [change.objectStore('heads'), change.objectStore('conversations')];
      const add = async (): Promise<void> => {
        const last = await heads.get(conversation.id);
        // A long conversation takes a while to read, which is only needed if another tab has kept it since.
        const read = last && last.tab !== tab ? await conversations.get(conversation.id) : undefined;
        if (read) ofOthers.set(read.id, read);
        const merged = merge(ofOthers.get(conversation.id), conversation);
        await Promise.all([heads.put({ ...makeHead(merged), tab }), conversations.put(merged)]);
      };
      await Promise.all([add(), change.done]);
      tabs.postMessage('changed');
    },
    async remove(id) {
      const change = database.transaction(['heads', 'conversations'], 'readwrite');
      await Promise.all([
        change.objectStore('heads').delete(id),
        change.objectStore('conversations').delete(id),
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

function inMemory(): ConversationStore {
  const kept = new Map<string, Conversation>();
  return {
    list: async () => newestFirst([...kept.values()].map(makeHead)),
    get: async (id) => kept.get(id),
    async put(conversation) {
      kept.set(conversation.id, conversation);
    },
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
