/**
 * Large strings of a translated body: texts, and the base64 of images and files. They reach the vendor as they came, so
 * nothing needs to decode, copy or write them again. A short token stands for the middle of each while the rest of the
 * body is parsed, rendered and written. Otherwise a body of 30 MB holds the event loop for 100 ms, and a dialogue of
 * large texts takes twice as long (measured).
 */

import { randomBytes } from 'node:crypto';
import type { Span } from '../../lib/json-bytes.ts';
import type { ObjectScan } from '../../lib/object-scan.ts';
import { DIALOGUE_FIELDS } from '../../translate/write-request.ts';
import { Payload } from '../../upstream/payload.ts';
import { findBase64Middle, isPlainBase64 } from './base64-middle.ts';
import type { Work } from './in-turns.ts';
import { findTextMiddle, isPlainText, readsTexts } from './text-middle.ts';

/** The middles of large strings, and how they are found again. */
export interface LargeStrings {
  /** The beginning of each token, which no caller can guess. */
  readonly mark: string;
  /** What each token stands for, by its number. */
  readonly middles: readonly Middle[];
}

/** Some bytes from the inside of a string. */
interface Middle {
  readonly bytes: Buffer;
  /** Whether it may hold escapes, which a string inside of a string has to escape again. */
  readonly isText: boolean;
}

/** A body in which tokens stand for the middles of large strings. */
export interface LightBody {
  readonly text: string;
  /** Absent if nothing was replaced. */
  readonly large?: LargeStrings;
}

/** Bytes of a token's random part, a multiple of three, so that its base64 needs no padding. */
const MARK_BYTES = 30;
/** Digits of a token's number. Together with the mark, its length is a multiple of four, as that of what it stands for. */
const DIGITS = 4;

/**
 * A token behind its mark. That of a text has a quote. How it is escaped says whether the text is in a string, or in a
 * string inside of one, as the arguments of a call are.
 */
const TOKEN = /^((?:\\\\)?\\")?(\d{4})/;
const ESCAPED_QUOTE = '\\"';

/** Bytes that are looked at in one step. They stay in the processor's cache for all looks. */
const STRETCH = 512 * 1024;
/** Bytes before a stretch that are looked at again: an escape may reach over its beginning. */
const OVERLAP = 5;

/** What a light body is made of: where its top-level values and its large strings are. */
type Places = Pick<ObjectScan, 'fields' | 'largeStrings'>;

/**
 * Replaces the middles of large strings, in steps.
 * @param unread the place of a value that need not be read; it becomes `null`.
 */
export function* lightening(body: Buffer, places: Places, unread?: Span): Work<LightBody> {
  if (places.largeStrings.length === 0) return replaced(body, [], unread);
  const found = yield* plainMiddles(body, places, unread);
  const light = replaced(body, found, unread);
  const files = found.filter(({ isText }) => !isText);
  return files.length < found.length && readsTexts(light.text) ? replaced(body, files, unread) : light;
}

/** Finds the middles of large strings that can be left unread. */
function* plainMiddles(
  body: Buffer,
  { fields, largeStrings }: Places,
  unread: Span | undefined,
): Work<Found[]> {
  const dialogues = DIALOGUE_FIELDS.flatMap((name) => fields.get(name) ?? []);
  const found: Found[] = [];
  let read = 0;
  for (let index = 0; index < largeStrings.length; index += 2) {
    const [start = 0, end = 0] = [largeStrings[index], largeStrings[index + 1]];
    if (unread !== undefined && isWithin(unread, start)) continue;
    const isInDialogue = dialogues.some((field) => isWithin(field, start));
    const middle = findMiddle(body, start, end, isInDialogue);
    if (middle === undefined || found.length === 10 ** DIGITS) continue;
    const isShort = end - start < STRETCH;
    if (isShort ? isPlain(body, middle) : yield* isPlainInSteps(body, middle)) found.push(middle);
    read += end - start;
    if (read < STRETCH) continue;
    read = 0;
    yield;
  }
  return found;
}

function isWithin({ start, end }: Span, place: number): boolean {
  return start <= place && place < end;
}

interface Found extends Span {
  readonly isText: boolean;
}

function findMiddle(body: Buffer, start: number, end: number, isInDialogue: boolean): Found | undefined {
  const text = isInDialogue ? findTextMiddle(body, start, end) : undefined;
  if (text !== undefined) return { ...text, isText: true };
  const file = findBase64Middle(body, start, end);
  return file && { ...file, isText: false };
}

function isPlain(body: Buffer, { start, end, isText }: Found): boolean {
  return isText ? isPlainText(body, start, end) : isPlainBase64(body, start, end);
}

function* isPlainInSteps(body: Buffer, { start, end, isText }: Found): Work<boolean> {
  for (let at = start; at < end; at += STRETCH) {
    const stretch = { start: Math.max(start, at - OVERLAP), end: Math.min(at + STRETCH, end), isText };
    if (!isPlain(body, stretch)) return false;
    yield;
  }
  return true;
}

/** Writes tokens in the place of middles. */
function replaced(body: Buffer, found: readonly Found[], unread: Span | undefined): LightBody {
  const mark = found.length === 0 ? '' : randomBytes(MARK_BYTES).toString('base64');
  const cuts = found.map(({ start, end, isText }, number) => ({
    start,
    end,
    by: `${mark}${isText ? ESCAPED_QUOTE : ''}${String(number).padStart(DIGITS, '0')}`,
  }));
  if (unread !== undefined) cuts.push({ ...unread, by: 'null' });
  if (cuts.length === 0) return { text: body.toString() };
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const { start, end, by } of cuts.toSorted((a, b) => a.start - b.start)) {
    pieces.push(body.subarray(at, start), Buffer.from(by));
    at = end;
  }
  pieces.push(body.subarray(at));
  const text = Buffer.concat(pieces).toString();
  if (mark === '') return { text };
  const middles = found.map(({ start, end, isText }) => ({ bytes: body.subarray(start, end), isText }));
  return { text, large: { mark, middles } };
}

/**
 * Puts the middles back.
 * @param text JSON that was written from a light body.
 * @param large what was replaced in it; undefined if nothing was.
 * @param isOfStream as in `Payload`.
 * @returns its bytes, of which the middles are those of the body; undefined if a token is missing, because what it stood
 *   for was left out or changed.
 */
export function restore(
  text: string,
  large: LargeStrings | undefined,
  isOfStream = false,
): Payload | undefined {
  if (large === undefined) return new Payload([Buffer.from(text)], isOfStream);
  const { mark, middles } = large;
  const missing = new Set(middles);
  const [first = '', ...rest] = text.split(mark);
  const pieces: Uint8Array[] = [Buffer.from(first)];
  for (const piece of rest) {
    const [token = '', quote, number] = TOKEN.exec(piece) ?? [];
    const middle = middles[Number(number)];
    if (middle === undefined || middle.isText !== (quote !== undefined)) return undefined;
    missing.delete(middle);
    const isNested = quote !== undefined && quote !== ESCAPED_QUOTE;
    pieces.push(isNested ? escaped(middle.bytes) : middle.bytes, Buffer.from(piece.slice(token.length)));
  }
  return missing.size === 0 ? new Payload(pieces, isOfStream) : undefined;
}

/** The inside of a JSON string as it is written inside of another one. */
function escaped(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll(/[\\"]/g, '\\$&'), 'latin1');
}
