/**
 * What a connection remembers: the dialogues that its last responses stand for, so that the next request need send no
 * more than what is new (OpenAI, "WebSocket mode": the state of a connection is in memory, and ends with it).
 */

export interface Dialogue {
  /** The response that a request goes on from. */
  readonly id: string;
  /** All items of it so far, a piece for what came at once: JSON without the brackets of a list. */
  readonly items: readonly string[];
}

export interface Memory {
  find(id: string): Dialogue | undefined;
  /** Remembers a lane's last dialogue in place of the one before it. */
  keep(lane: string, dialogue: Dialogue): void;
  forgetAll(): void;
}

/** @param limit how long all that is remembered may be, in UTF-16 code units; what is oldest goes first. */
export function openMemory(limit: number): Memory {
  const dialogues = new Map<string, Dialogue>();
  return {
    find(id) {
      for (const dialogue of dialogues.values()) if (dialogue.id === id) return dialogue;
      return undefined;
    },
    keep(lane, dialogue) {
      dialogues.delete(lane);
      dialogues.set(lane, dialogue);
      let size = 0;
      for (const { items } of dialogues.values()) for (const piece of items) size += piece.length;
      for (const [oldest, { items }] of dialogues) {
        if (size <= limit) return;
        dialogues.delete(oldest);
        for (const piece of items) size -= piece.length;
      }
    },
    forgetAll: () => dialogues.clear(),
  };
}
