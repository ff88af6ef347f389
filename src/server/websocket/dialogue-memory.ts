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
  /** How long all that is remembered is, in UTF-16 code units. */
  size(): number;
}

/** @param limit how long all that is remembered may be, in UTF-16 code units; what is oldest goes first. */
export function openMemory(limit: number): Memory {
  const dialogues = new Map<string, Dialogue>();
  let size = 0;
  return {
    find(id) {
      for (const dialogue of dialogues.values()) if (dialogue.id === id) return dialogue;
      return undefined;
    },
    keep(lane, dialogue) {
      size += lengthOf(dialogue) - lengthOf(dialogues.get(lane));
      dialogues.delete(lane);
      dialogues.set(lane, dialogue);
      for (const [oldest, forgotten] of dialogues) {
        if (size <= limit) return;
        dialogues.delete(oldest);
        size -= lengthOf(forgotten);
      }
    },
    forgetAll() {
      dialogues.clear();
      size = 0;
    },
    size: () => size,
  };
}

function lengthOf(dialogue: Dialogue | undefined): number {
  return dialogue?.items.reduce((length, piece) => length + piece.length, 0) ?? 0;
}
