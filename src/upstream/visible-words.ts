/**
 * Tells the content of an answer from keep-alives: bytes that show only that the vendor is still there. In an event
 * stream those are empty lines, comments, fields without content (`event`, `id`, `retry`, an empty `data`) and events
 * named `ping` (Anthropic), wherever they are cut into pieces. In any other body they are white space.
 */

import { CR, LF, nextPlace } from '../lib/bytes.ts';
import { endsEvent } from '../streams/event-ends.ts';
import { beginsEvent, firstNonSpace } from '../streams/first-non-space.ts';
import { toBuffer } from './net/to-buffer.ts';

const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';

/** How many bytes of a line are examined; they are enough to show what it is. */
const HEAD = 64;

/** The data of a ping whose name is only inside it, as services write it that implement half of Anthropic's format. */
const PING_DATA = /^\{\s{0,8}"type"\s{0,8}:\s{0,8}"ping"/;

/**
 * Matches the beginning of an event that is content: one line of data, after its name or without. Most pieces of an
 * answer are such events, and to look at each of their lines takes a fifth of what a native event costs.
 */
const CONTENT = /^(?:event: (?!ping\n)\w[\w.]*\n)?data: (?:\{"(?!type"\s{0,8}:\s{0,8}"ping")|[^\s{])/;

/** How many bytes of a piece are examined for that. */
const CONTENT_HEAD = 128;

/** Finds the content in one body. The body's pieces must come in order. */
export class WordReader {
  /** Undefined until the first byte has decided, and for a body that is not an event stream. */
  #events: EventWords | undefined;
  #isDecided: boolean;

  /** @param isEventStream whether the answer's head says so; if it does not, the first byte decides. */
  constructor(isEventStream: boolean) {
    this.#isDecided = isEventStream;
    this.#events = isEventStream ? new EventWords() : undefined;
  }

  /**
   * Whether a piece contains content of the answer, or part of it.
   * @param isKnown whether content has come just before. Then a piece of whole events may pass for content unread.
   */
  hasWord(piece: Uint8Array, isKnown = false): boolean {
    if (!this.#isDecided) {
      const first = firstNonSpace(piece);
      if (first === undefined) return false;
      this.#isDecided = true;
      if (beginsEvent(first)) this.#events = new EventWords();
    }
    return this.#events === undefined ? hasVisibleText(piece) : this.#events.hasWord(piece, isKnown);
  }
}

/** The same for an event stream. */
class EventWords {
  /** The beginning of the unfinished line, as latin1. */
  #head = '';
  #isFirst = true;
  /** Whether the last byte was a CR, which a LF may complete. */
  #isBroken = false;
  #isPing = false;

  hasWord(piece: Uint8Array, isKnown: boolean): boolean {
    const bytes = toBuffer(piece);
    if (!this.#isContent(bytes, isKnown)) return this.#readLines(bytes);
    this.#isFirst = false;
    return true;
  }

  /** Whether a piece is whole events, the first of which is content as far as its beginning shows. */
  #isContent(bytes: Buffer, isKnown: boolean): boolean {
    if (this.#head !== '' || this.#isPing || this.#isBroken) return false;
    if (!endsEvent(bytes) || bytes[bytes.length - 1] !== LF) return false;
    return isKnown || CONTENT.test(bytes.toString('latin1', 0, CONTENT_HEAD));
  }

  /** Examines each line of a piece. @returns whether one of them is content. */
  #readLines(bytes: Buffer): boolean {
    let hasWord = false;
    let start = 0;
    let lf = -1;
    let cr = -1;
    while (start < bytes.length) {
      if (this.#isBroken && bytes[start] === LF) start += 1;
      this.#isBroken = false;
      lf = nextPlace(bytes, LF, start, lf);
      cr = nextPlace(bytes, CR, start, cr);
      const end = Math.min(lf, cr);
      const isWhole = end < bytes.length;
      const room = HEAD - this.#head.length;
      if (room > 0) this.#head += bytes.toString('latin1', start, Math.min(end, start + room));
      if (this.#look(isWhole)) hasWord = true;
      if (!isWhole) break;
      this.#head = '';
      this.#isFirst = false;
      this.#isBroken = end === cr;
      start = end + 1;
    }
    return hasWord;
  }

  /** Examines a line, or its beginning. @returns whether it is content. */
  #look(isWhole: boolean): boolean {
    const head = this.#head;
    const line =
      this.#isFirst && head.startsWith(BYTE_ORDER_MARK) ? head.slice(BYTE_ORDER_MARK.length) : head;
    if (line === '' && isWhole) this.#isPing = false;
    const colon = line.indexOf(':');
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    const field = colon < 0 ? line : line.slice(0, colon);
    if (field === 'event' && isWhole) this.#isPing = value === 'ping';
    if (field !== 'data' || this.#isPing || value.trim() === '') return false;
    // An object may be a ping as long as its type has not come.
    return isWhole || line.length >= HEAD || value[0] !== '{' ? !PING_DATA.test(value) : false;
  }
}

/** Whether a piece contains anything but white space. */
function hasVisibleText(piece: Uint8Array): boolean {
  return firstNonSpace(piece) !== undefined;
}
