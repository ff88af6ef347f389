/**
 * An estimate of the tokens of an answer whose usage is unknown, from the text that the vendor got and sent. A vendor
 * reports usage in the last event of a stream, so a caller who leaves before that event would otherwise pay nothing. The
 * estimate counts against limits only, and reports mark it as an estimate.
 */

import type { FormatName } from '../../conversation/prompt.ts';
import type { Tokens } from '../../conversation/tokens.ts';
import { usageReaders } from '../../formats/usage-readers.ts';
import { BACKSLASH, OPEN_LIST, OPEN_OBJECT, QUOTE } from '../../lib/json-bytes.ts';
import { toBuffer } from '../../upstream/net/to-buffer.ts';

/** What passes of an answer. A value and no closures, as all that is made for every exchange. */
export interface OutputEstimate {
  readonly spoken: FormatName;
  /** Whether it is a stream of events; undefined before its first byte. */
  isStream: boolean | undefined;
  /** Of a stream from its first text on. */
  bytes: number;
  /** What these begin with: it tells what events have beside their text. */
  sample: Buffer | undefined;
  sampled: number;
}

/** As in English and in code; in most other writings there are fewer. */
const BYTES_PER_TOKEN = 4;

/** So much without a space is base64, an image or a file; and what one is taken to be, in tokens. */
const SHORTEST_FILE = 2_048;
const FILE_TOKENS = 1_000;

/** Bytes of a stream that are kept: some five events. Twice as many take eight times as long to allocate (measured). */
const SAMPLE = 1_024;

/** How an event of each format is known to have text, and such a text in it: the last one may be cut. */
const TEXTS = {
  'chat-completions': makeTextPattern('chat-completions'),
  responses: makeTextPattern('responses'),
  messages: makeTextPattern('messages'),
  'generate-content': makeTextPattern('generate-content'),
} as const satisfies Readonly<Record<FormatName, unknown>>;

function makeTextPattern(format: FormatName): { readonly mark: Buffer; readonly text: RegExp } {
  const { within, fields } = usageReaders[format].text;
  const text = new RegExp(`"(?:${fields.join('|')})" ?: ?"((?:[^"\\\\]|\\\\.?)*)`, 'gs');
  return { mark: Buffer.from(`${within}"`), text };
}

export function openOutputEstimate(spoken: FormatName): OutputEstimate {
  return { spoken, isStream: undefined, bytes: 0, sample: undefined, sampled: 0 };
}

/**
 * Tokens of a request to a vendor.
 * @param pieces its bytes. Only a file is cut, and not within its first SHORTEST_FILE bytes.
 */
export function tokensOfRequest(...pieces: readonly Uint8Array[]): number {
  let bytes = 0;
  let files = 0;
  let isInFile = false;
  for (const request of pieces) {
    bytes += request.byteLength;
    let start = 0;
    if (isInFile) {
      start = endOfFile(request, 0);
      bytes -= start;
      isInFile = start === request.byteLength;
    }
    while (start + SHORTEST_FILE <= request.byteLength) {
      // From the end of where one would have to be, most of what is none is never looked at.
      let at = start + SHORTEST_FILE - 1;
      while (at >= start && isBase64(request[at])) at -= 1;
      if (at < start) {
        at = endOfFile(request, start + SHORTEST_FILE);
        bytes -= at - start;
        files += 1;
        isInFile = at === request.byteLength;
      }
      start = at + 1;
    }
  }
  return Math.ceil(bytes / BYTES_PER_TOKEN) + files * FILE_TOKENS;
}

function endOfFile(request: Uint8Array, from: number): number {
  const quote = request.indexOf(QUOTE, from);
  return quote < 0 ? request.byteLength : quote;
}

/** Letters, digits and `+/=-_` (RFC 4648), and the backslash before a slash that some writers of JSON put there. */
function isBase64(byte = 0): boolean {
  const letter = byte | 0x20;
  return (
    (letter >= 0x61 && letter <= 0x7a) ||
    (byte >= 0x2f && byte <= 0x39) ||
    byte === 0x2b ||
    byte === 0x2d ||
    byte === 0x3d ||
    byte === BACKSLASH ||
    byte === 0x5f
  );
}

/** Takes the next bytes of the answer. */
export function estimateChunk(passage: OutputEstimate, chunk: Uint8Array): void {
  passage.isStream ??= chunk[0] !== OPEN_OBJECT && chunk[0] !== OPEN_LIST;
  if (!passage.isStream) {
    passage.bytes += chunk.byteLength;
    return;
  }
  // What comes before the first text is no answer: some vendors say all that they were asked.
  const from = passage.bytes === 0 ? toBuffer(chunk).indexOf(TEXTS[passage.spoken].mark) : 0;
  if (from < 0) return;
  if (passage.sampled < SAMPLE) keepSample(passage, chunk.subarray(from));
  passage.bytes += chunk.byteLength - from;
}

function keepSample(passage: OutputEstimate, chunk: Uint8Array): void {
  passage.sample ??= Buffer.allocUnsafe(SAMPLE);
  const piece = chunk.subarray(0, SAMPLE - passage.sampled);
  passage.sample.set(piece, passage.sampled);
  passage.sampled += piece.byteLength;
}

/** Tokens of the text that has come. */
export function estimateOutput(passage: OutputEstimate): number {
  return Math.ceil((passage.bytes * shareOfText(passage)) / BYTES_PER_TOKEN);
}

/** Lets go of the sample, once the answer has been estimated for the last time. */
export function forgetSample(passage: OutputEstimate): void {
  passage.sample = undefined;
  passage.sampled = 0;
}

/** How much of what has come is text: of a whole answer all. */
function shareOfText({ spoken, isStream, sample, sampled }: OutputEstimate): number {
  if (sample === undefined) return isStream ? 0 : 1;
  const events = sample.toString('latin1', 0, sampled);
  let bytes = 0;
  for (const [, text = ''] of events.matchAll(TEXTS[spoken].text)) bytes += text.length;
  return bytes / sampled;
}

/** Figures as told, with those estimated that lack. @param isPart whether the output told is that of a beginning. */
export function completed(told: Tokens, passed: { input: number; output: number }, isPart: boolean): Tokens {
  const { input = passed.input, output } = told;
  return {
    ...told,
    input,
    output: output === undefined || isPart ? Math.max(output ?? 0, passed.output) : output,
  };
}
