/**
 * What a connection remembers: the dialogues that its last responses stand for, so that the next request sends only
 * what is new (OpenAI, "WebSocket mode": the state of a connection is in memory, and ends with it).
 */

export interface Dialogue {
  /** The id of the response that a request continues. */
  readonly id: string;
  /**
   * All items of the dialogue so far. Each piece holds the items that came together, as JSON without the brackets of a
   * list.
   */
  readonly items: readonly string[];
}

/** The dialogues of one connection. */
export interface Memory {
  /**
   * The dialogue of a response: the lane's own, or that of the one other lane that has it. Some services give all
   * responses the same id, and one conversation must never continue in another.
   */
  find(id: string, lane: string): Dialogue | undefined;
  /** Remembers a lane's last dialogue in place of the one before it. */
  keep(lane: string, dialogue: Dialogue): void;
  /**
   * Forgets the dialogue of a response, because a request that continued it failed. OpenAI does so too, and Open Responses
   * requires it ("WebSocket mode": the referenced response is evicted), so that no client continues from a stale state.
   */
  forget(id: string): void;
  forgetAll(): void;
}

/**
 * @param limit the most that is remembered, in UTF-16 code units; the oldest dialogue is forgotten first
 * @param resized called after every change, with the length of everything that is remembered
 * @returns an empty memory
 */
export function openMemory(limit: number, resized: (size: number) => void): Memory {
  const dialogues = new Map<string, Dialogue>();
  /** The last response of each lane, also of one whose dialogue is forgotten. */
  const lastIds = new Map<string, string>();
  let size = 0;
  return {
    find(id, lane) {
      if (lastIds.get(lane) === id) return dialogues.get(lane);
      const [found, another] = [...dialogues.values()].filter((dialogue) => dialogue.id === id);
      return another === undefined ? found : undefined;
    },
    keep(lane, dialogue) {
      lastIds.set(lane, dialogue.id);
      size += measureLength(dialogue) - measureLength(dialogues.get(lane));
      dialogues.delete(lane);
      dialogues.set(lane, dialogue);
      for (const [oldest, forgotten] of dialogues) {
        if (size <= limit) break;
        dialogues.delete(oldest);
        size -= measureLength(forgotten);
      }
      resized(size);
    },
    forget(id) {
      for (const [lane, dialogue] of dialogues) {
        if (dialogue.id !== id) continue;
        dialogues.delete(lane);
        size -= measureLength(dialogue);
      }
      resized(size);
    },
    forgetAll() {
      dialogues.clear();
      size = 0;
      resized(size);
    },
  };
}

function measureLength(dialogue: Dialogue | undefined): number {
  return dialogue?.items.reduce((length, piece) => length + piece.length, 0) ?? 0;
}
