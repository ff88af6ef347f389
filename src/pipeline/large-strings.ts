/**
 * Large base64 strings of a translated body: images and files. They reach the vendor as they came, so nothing needs to
 * decode, copy or write them again. A short token stands for the middle of each while the rest of the body is parsed,
 * rendered and written. Otherwise a body of 30 MB holds the event loop for 100 ms (measured).
 */

import { isAscii } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { BACKSLASH } from '../lib/json-bytes.ts';
import type { Span } from '../lib/json-scan.ts';
import { Payload } from '../upstream/payload.ts';
import { atOnce, type Work } from './in-turns.ts';

/** The middles of large strings, and how they are found again. */
export interface LargeStrings {
  /** The beginning of each token, which no caller can guess. */
  readonly mark: string;
  /** What each token stands for, by its number. */
  readonly middles: readonly Uint8Array[];
}

/** A body in which tokens stand for the middles of large strings. */
export interface LightBody {
  readonly text: string;
  /** Absent if nothing was replaced. */
  readonly large?: LargeStrings;
}

/**
 * Bytes that stay at both ends of a string. They have the head of a `data:` URL, the first bytes of a file, by which its
 * type is known, and the padding. So much without a space also counts as a file when tokens are estimated.
 */
const HEAD = 4_096;
const TAIL = 64;

/** Bytes of a token's random part, a multiple of three, so that its base64 needs no padding. */
const MARK_BYTES = 30;
/** Digits of a token's number. Together with the mark, its length is a multiple of four, as that of what it stands for. */
const DIGITS = 4;

const LINE_FEED = 0x0a;
const MINUS = 0x2d;
const UNDERSCORE = 0x5f;
/** ASCII that may be in a string, but not in plain base64. */
const FOREIGN = [BACKSLASH, LINE_FEED, MINUS, UNDERSCORE];

/** Bytes that are looked at in one step. They stay in the processor's cache for the five looks. */
const STRETCH = 512 * 1024;

/** What base64 in a string may begin with: a `data:` URL's head. */
const BEGINNING = /^(?:data:[^,]{0,1024},)?[A-Za-z0-9+/]+$/;

/**
 * Replaces the middles of large strings.
 * @param strings where large strings start and end, with their quotes, in the order of the body.
 */
export function lighten(body: Buffer, strings: readonly number[]): LightBody {
  return atOnce(lightening(body, strings));
}

/** As `lighten`, in steps. */
export function* lightening(body: Buffer, strings: readonly number[]): Work<LightBody> {
  if (strings.length === 0) return { text: body.toString() };
  let mark: string | undefined;
  let text = '';
  let at = 0;
  const middles: Uint8Array[] = [];
  for (let index = 0; index < strings.length; index += 2) {
    const middle = yield* findMiddle(body, strings[index] ?? 0, strings[index + 1] ?? 0);
    if (middle === undefined || middles.length === 10 ** DIGITS) continue;
    mark ??= randomBytes(MARK_BYTES).toString('base64');
    text += body.toString('utf8', at, middle.start) + mark + String(middles.length).padStart(DIGITS, '0');
    middles.push(body.subarray(middle.start, middle.end));
    at = middle.end;
  }
  text += body.toString('utf8', at);
  return mark === undefined ? { text } : { text, large: { mark, middles } };
}

/**
 * The part of a string that a token can stand for: nothing that reads base64 would find anything to change in it.
 * @returns undefined if the string is not base64, or is base64url, which some vendors get as base64.
 */
function* findMiddle(body: Buffer, start: number, end: number): Work<Span | undefined> {
  const from = start + 1 + HEAD;
  const to = from + Math.floor((end - 1 - TAIL - from) / 4) * 4;
  if (to <= from || !BEGINNING.test(body.toString('latin1', start + 1, from))) return undefined;
  for (let at = from; at < to; at += STRETCH) {
    if (!isPlain(body.subarray(at, Math.min(at + STRETCH, to)))) return undefined;
    yield;
  }
  return { start: from, end: to };
}

function isPlain(bytes: Buffer): boolean {
  return isAscii(bytes) && FOREIGN.every((byte) => bytes.indexOf(byte) < 0);
}

/**
 * Puts the middles back.
 * @param text JSON that was written from a light body.
 * @returns its bytes, of which the middles are those of the body; undefined if a token is missing, because what it stood
 *   for was left out or changed.
 */
export function restore(text: string, { mark, middles }: LargeStrings): Payload | undefined {
  const found = new Set<Uint8Array>();
  const [first = '', ...rest] = text.split(mark);
  const pieces: Uint8Array[] = [Buffer.from(first)];
  for (const piece of rest) {
    const middle = middles[Number(piece.slice(0, DIGITS))];
    if (middle === undefined) return undefined;
    found.add(middle);
    pieces.push(middle, Buffer.from(piece.slice(DIGITS)));
  }
  return found.size === middles.length ? new Payload(pieces) : undefined;
}
