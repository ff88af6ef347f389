/**
 * Names and ids as Anthropic takes them: tool names `^[a-zA-Z0-9_-]{1,128}$`, ids of calls `^[a-zA-Z0-9_-]+$` and no
 * two alike in one conversation.
 */

import { fingerprint } from '../../safe-names.ts';

const NAME = /^[A-Za-z0-9_-]{1,128}$/;
const ID = /^[A-Za-z0-9_-]{1,256}$/;

/** `name` where it fits; else one that does, always the same, and another for every other name. */
export function safeName(name: string): string {
  return NAME.test(name) ? name : fitted(name, 110);
}

/** `text` in letters that fit anywhere, cut to a length, and told apart from every other by what is put after it. */
export function fitted(text: string, length: number): string {
  return `${plain(text).slice(0, length)}_${fingerprint(text).toString(36)}`;
}

/** Ids for the calls and results of one conversation by those the caller knows, asked in the order of its turns. */
export interface CallIds {
  /** An assistant's turn begins: what follows answers its calls, not earlier ones. */
  turn(): void;
  call(id: string): string;
  result(id: string): string;
}

/** Made from the ids alone, so that the same conversation has the same ids every time: caches depend on it. */
export function callIds(): CallIds {
  const used = new Set<string>();
  const counts = new Map<string, number>();
  /** Those given to the calls of an id; what comes before `next` has been answered. */
  const unanswered = new Map<string, { readonly ids: string[]; next: number }>();
  const answered = new Map<string, string>();
  return {
    turn: () => unanswered.clear(),
    call(id) {
      const safe = safeId(id);
      let count = counts.get(id) ?? 0;
      let given: string;
      do {
        count += 1;
        given = count === 1 ? safe : `${safe}_${count}`;
      } while (used.has(given));
      counts.set(id, count);
      used.add(given);
      const waiting = unanswered.get(id);
      if (waiting) waiting.ids.push(given);
      else unanswered.set(id, { ids: [given], next: 0 });
      return given;
    },
    result(id) {
      const waiting = unanswered.get(id);
      const given = waiting?.ids[waiting.next] ?? answered.get(id) ?? safeId(id);
      if (waiting) waiting.next += 1;
      answered.set(id, given);
      return given;
    },
  };
}

function safeId(id: string): string {
  return ID.test(id) ? id : `toolu_${plain(id).slice(0, 40)}${fingerprint(id).toString(36)}`;
}

function plain(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}
