/**
 * The conversations of this browser, in IndexedDB. A list of them needs their heads only, so these are stored apart. A
 * browser that keeps no data has them in memory, as long as the page is open.
 */

import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { type Conversation, writtenText } from '../chat/conversation.ts';

/** What the list shows and searches. */
export interface Head {
  readonly id: string;
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly updated: number;
  /** All that was said, cut to a length that is quick to search. */
  readonly words: string;
}

export interface ConversationStore {
  /** The newest first. */
  list(): Promise<readonly Head[]>;
  get(id: string): Promise<Conversation | undefined>;
  put(conversation: Conversation): Promise<void>;
  remove(id: string): Promise<void>;
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
  return {
    list: async () => newestFirst(await database.getAll('heads')),
    get: (id) => database.get('conversations', id),
    async put(conversation) {
      const change = database.transaction(['heads', 'conversations'], 'readwrite');
      await Promise.all([
        change.objectStore('heads').put(makeHead(conversation)),
        change.objectStore('conversations').put(conversation),
        change.done,
      ]);
    },
    async remove(id) {
      const change = database.transaction(['heads', 'conversations'], 'readwrite');
      await Promise.all([
        change.objectStore('heads').delete(id),
        change.objectStore('conversations').delete(id),
        change.done,
      ]);
    },
  };
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
