/**
 * Removes from a stream what is there only because the gateway has set `include_usage` for a caller who did not. A chunk
 * with the usage alone comes before `[DONE]`. Its `choices` are empty, and a client that reads `choices[0]` of every chunk
 * would fail. Every other chunk may say `"usage": null` (OpenAI). Bytes in, bytes out: all else stays as it was written,
 * such as usage with the last choice, which some services send unasked.
 */

import { bytesOfText, CR, concatBytes, forwardSearch, indexOfBytes, isAt, LF } from '../../../lib/bytes.ts';
import { afterSpace, CLOSE_LIST, OPEN_LIST, OPEN_OBJECT, type Span } from '../../../lib/json-bytes.ts';
import type { Sink, Step } from '../../../streams/step.ts';
import { UnreadBytes } from '../../../streams/unread-bytes.ts';
import { findMembers, spanOfMember } from './json-member.ts';

/** A longer line passes as it is: it holds no figures, so its end need not be awaited. */
const MAX_LINE_LENGTH = 64 * 1024;

/** A key without its first quote: a search stops at each byte that equals its first one, and quotes are everywhere. */
const USAGE = bytesOfText('usage"');
const KEYS = [bytesOfText('"usage"'), bytesOfText('"choices"')];
const DATA = bytesOfText('data:');
const NULL = bytesOfText('null');

/**
 * A search finds the lines with `"usage"` in them, and only those are looked at. All others pass as they are.
 * @see UsageOnRequest.strip
 */
export function stripInjectedUsage(): Step<Uint8Array, Uint8Array> {
  return new UsageStripper();
}

class UsageStripper implements Step<Uint8Array, Uint8Array> {
  /** The beginning of a line. */
  readonly #held = new UnreadBytes();
  /** Whether a long line passes, of which more is to come. */
  #isPassing = false;
  /** Whether the next line begins an event, and whether the line before it was an event that is taken out. */
  #isFirst = true;
  #isGone = false;

  transform(chunk: Uint8Array, out: Sink<Uint8Array>): void {
    // Most chunks are whole lines without usage, and pass with one search.
    const isIdle = !this.#isPassing && !this.#isGone && this.#held.size() === 0;
    if (isIdle && chunk[chunk.length - 1] === LF && indexOfBytes(chunk, USAGE) < 0) {
      this.#isFirst = endsBlank(chunk, chunk.length);
      out.enqueue(chunk);
      return;
    }
    const isMore = this.#goesOn(chunk);
    const all = this.#held.add(chunk);
    if (isMore) return;
    const passed = this.#isPassing ? this.#pass(all, out) : 0;
    const bytes = all.subarray(passed);
    const lines = findLines(bytes);
    const whole = lines.whole();
    if (whole > 0) give(out, this.#shown(whole === bytes.length ? bytes : bytes.subarray(0, whole), lines));
    const rest = bytes.subarray(whole);
    this.#isPassing ||= rest.length > MAX_LINE_LENGTH;
    if (this.#isPassing) {
      this.#isFirst = false;
      this.#isGone = false;
      give(out, rest);
    }
    this.#held.take(this.#isPassing ? all.length : passed + whole);
  }

  flush(out: Sink<Uint8Array>): void {
    const held = this.#held;
    if (held.size() > 0) give(out, this.#shown(held.bytes(), findLines(held.bytes())));
  }

  /** The lines without what is cut out. Only the last one may lack its end. */
  #shown(bytes: Uint8Array, lines: Lines): Uint8Array {
    const cuts: Span[] = [];
    let at = this.#isGone ? this.#skipBlank(bytes, 0, lines, cuts) : 0;
    for (;;) {
      const found = indexOfBytes(bytes, USAGE, at);
      if (found < 0) break;
      const line = { start: lines.start(found, at), end: lines.end(found) ?? bytes.length };
      const cut = findCut(bytes, line);
      at = line.end;
      if (cut === undefined) continue;
      cuts.push(cut);
      if (cut === line && (line.start === 0 ? this.#isFirst : endsBlank(bytes, line.start)))
        at = this.#skipBlank(bytes, at, lines, cuts);
    }
    this.#isFirst = endsBlank(bytes, bytes.length);
    return without(bytes, cuts);
  }

  /** Cuts out the blank line of an event that was taken out: it belongs to it. @returns where it ends. */
  #skipBlank(bytes: Uint8Array, at: number, lines: Lines, cuts: Span[]): number {
    this.#isGone = at === bytes.length;
    if (this.#isGone || !isLineEnd(bytes[at])) return at;
    const end = lines.end(at) ?? bytes.length;
    cuts.push({ start: at, end });
    return end;
  }

  /** Passes on the rest of a long line. @returns where it ends. */
  #pass(bytes: Uint8Array, out: Sink<Uint8Array>): number {
    const end = findLines(bytes).end(0);
    this.#isPassing = end === undefined;
    give(out, bytes.subarray(0, end));
    return end ?? bytes.length;
  }

  /** Whether a piece only makes the held line longer. A CR at the end of that line may be half of its end. */
  #goesOn(chunk: Uint8Array): boolean {
    const size = this.#held.size();
    if (size === 0 || size + chunk.byteLength > MAX_LINE_LENGTH || this.#held.bytes()[size - 1] === CR)
      return false;
    return !chunk.includes(LF) && !chunk.includes(CR);
  }
}

function give(out: Sink<Uint8Array>, bytes: Uint8Array): void {
  if (bytes.length > 0) out.enqueue(bytes);
}

/** Where lines begin and end (WHATWG HTML, 9.2.5: with LF, CR or both). Ask for them in their order. */
interface Lines {
  /** Where the line begins that has the byte at `at`. An earlier line ends at `from`. */
  start(at: number, from: number): number;
  /** Where that line ends; undefined if its end has not come yet. A CR at the very end may be half of one. */
  end(at: number): number | undefined;
  /** Where the last line ends whose end has come. */
  whole(): number;
}

function findLines(bytes: Uint8Array): Lines {
  // Most streams have none, and are not searched for one at every line.
  const hasCr = bytes.includes(CR);
  const last = (byte: number, at: number): number => (at < 0 ? -1 : bytes.lastIndexOf(byte, at));
  const nextLf = forwardSearch(bytes, LF);
  const nextCr = hasCr ? forwardSearch(bytes, CR) : () => bytes.length;
  return {
    start(at, from) {
      const before = bytes.subarray(from, at);
      return from + 1 + Math.max(before.lastIndexOf(LF), hasCr ? before.lastIndexOf(CR) : -1);
    },
    end(at) {
      const lf = nextLf(at);
      const cr = nextCr(at);
      if (lf < cr) return lf + 1;
      if (cr + 1 >= bytes.length) return undefined;
      return lf === cr + 1 ? lf + 1 : cr + 1;
    },
    whole: () => 1 + Math.max(last(LF, bytes.length - 1), hasCr ? last(CR, bytes.length - 2) : -1),
  };
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === LF || byte === CR;
}

/** Whether the line that ends at `end` is blank. */
function endsBlank(bytes: Uint8Array, end: number): boolean {
  const before = end - (bytes[end - 1] === LF && bytes[end - 2] === CR ? 2 : 1);
  return before === 0 || isLineEnd(bytes[before - 1]);
}

/** What is cut out of a line with `"usage"` in it: the whole line, that member, or nothing. */
function findCut(bytes: Uint8Array, line: Span): Span | undefined {
  if (line.end - line.start > MAX_LINE_LENGTH || !isAt(bytes, line.start, DATA)) return undefined;
  const data = { start: line.start + DATA.length, end: line.end };
  const [usage, choices] = findMembers(bytes, KEYS, data) ?? [];
  if (usage === undefined || choices === undefined) return undefined;
  if (isAt(bytes, usage.value.start, NULL)) return spanOfMember(bytes, usage);
  const isAlone = bytes[usage.value.start] === OPEN_OBJECT && isEmptyList(bytes, choices.value);
  return isAlone ? line : undefined;
}

function isEmptyList(bytes: Uint8Array, { start, end }: Span): boolean {
  return bytes[start] === OPEN_LIST && bytes[afterSpace(bytes, start + 1, end)] === CLOSE_LIST;
}

function without(bytes: Uint8Array, cuts: readonly Span[]): Uint8Array {
  if (cuts.length === 0) return bytes;
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const { start, end } of cuts) {
    pieces.push(bytes.subarray(at, start));
    at = end;
  }
  pieces.push(bytes.subarray(at));
  return concatBytes(pieces);
}
