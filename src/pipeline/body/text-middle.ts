/** Texts of a dialogue that reach a vendor of another format as they came, except for their ends. */

import { tryParseJson } from '../../lib/json.ts';
import { beforeSpace, COLON, mayHoldJson, QUOTE, type Span } from '../../lib/json-bytes.ts';

const TEXT_FIELDS = new Set(['text', 'content', 'output', 'result', 'system', 'input']);
const MAX_NAME_LENGTH = 7;

/**
 * What makes a translation look at all of a text: places in it (citations), its length, or a word in it (OpenAI writes
 * JSON only if a message has the word).
 */
const READS_TEXTS =
  /"(?:annotations|citations)"\s*:\s*\[\s*[^\]\s]|"max_output_length"|json_object|json_schema|application\/json/;

/** Bytes that stay at both ends, for whoever looks at how a text begins or ends. */
const HEAD = 256;
const TAIL = 64;
/** How far from there a text is cut at most. */
const NEAR = 128;

const SPACE = 0x20;
/** The least first byte of a character of several bytes (RFC 3629, 3). */
const LEAD = 0xc0;

/** Base64 and URLs have no white space, and nothing beyond ASCII. A `data:` URL may. */
const OF_TEXT = /^(?!data:).*[\s\u0080-\uffff]/is;
/** What may be the escape of one half of a surrogate pair, which vendors refuse. It takes 0.2 to 0.3 ns a byte. */
const HALF = /\\u[Dd][89A-Fa-f]/;

/** Whether a request asks for something that depends on all of its texts. @param json its JSON without their middles. */
export function readsTexts(json: string): boolean {
  return READS_TEXTS.test(json);
}

/**
 * The middle of a text.
 * @param start the opening quote of a string.
 * @param end the place behind its closing quote.
 * @returns undefined if the string is no text, or if it may be JSON, which some formats have as a value.
 */
export function findTextMiddle(body: Buffer, start: number, end: number): Span | undefined {
  if (mayHoldJson(body[start + 1]) || !isInTextField(body, start)) return undefined;
  const from = findCut(body, start + 1 + HEAD, 1);
  const to = findCut(body, end - 1 - TAIL, -1);
  if (from === undefined || to === undefined || to <= from) return undefined;
  const head = tryParseJson(`${body.toString('utf8', start, from)}"`);
  const tail = tryParseJson(`"${body.toString('utf8', to, end)}`);
  if (typeof head !== 'string' || typeof tail !== 'string') return undefined;
  // Blank ends may be cut off, and a blank text left out.
  if (head.trim() === '' || tail.trim() === '' || !OF_TEXT.test(head)) return undefined;
  return { start: from, end: to };
}

/**
 * Whether some bytes of a text can stay unread: they need no repair. Of what JSON does not allow in a string they have no
 * line breaks; the rest, such as escapes that do not exist, is left to the vendor to refuse.
 */
export function isPlainText(body: Buffer, start: number, end: number): boolean {
  const text = body.toString('latin1', start, end);
  return !text.includes('\n') && !HALF.test(text);
}

/** Whether a string is the value of one of the fields that hold texts. @param at its opening quote. */
function isInTextField(body: Buffer, at: number): boolean {
  const colon = beforeSpace(body, at) - 1;
  if (body[colon] !== COLON) return false;
  const end = beforeSpace(body, colon) - 1;
  let start = end;
  while (end - start < MAX_NAME_LENGTH && body[start - 1] !== QUOTE) start--;
  return body[end] === QUOTE && TEXT_FIELDS.has(body.toString('latin1', start, end));
}

/** The first place where a text may be cut, from one on in steps of 1 or -1; undefined if there is none nearby. */
function findCut(body: Buffer, from: number, step: 1 | -1): number | undefined {
  for (let far = 0; far < NEAR; far++) {
    const place = from + far * step;
    if (mayBeCut(body, place)) return place;
  }
  return undefined;
}

/** Whether no escape and no character reaches over a place: it is behind a space, or before a character beyond ASCII. */
function mayBeCut(body: Buffer, place: number): boolean {
  return body[place - 1] === SPACE || (body[place] ?? 0) >= LEAD;
}
