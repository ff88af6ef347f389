/**
 * An estimate of the tokens of an answer whose usage is unknown, from the text that the vendor got and sent. A vendor
 * reports usage in the last event of a stream, so a caller who leaves before that event would otherwise pay nothing. The
 * estimate counts against limits only, and reports mark it as an estimate.
 */

import type { FormatName } from '../../conversation/prompt.ts';
import type { Tokens } from '../../conversation/tokens.ts';
import { usageReaders } from '../../formats/usage-readers.ts';
import { latin1OfBytes } from '../../lib/bytes.ts';
import { BACKSLASH, OPEN_LIST, OPEN_OBJECT, QUOTE } from '../../lib/json-bytes.ts';
import { wordSet } from '../../lib/words.ts';
import { EVENT_BEGINNING } from '../../streams/sse.ts';
import { toBuffer } from '../../upstream/net/to-buffer.ts';

/** As in English and in code. In most other scripts a token has fewer. */
const BYTES_PER_TOKEN = 4;

/** Base64 of so many bytes is a file, such as an image, in a field that holds some. Each counts as so many tokens. */
const MIN_FILE_LENGTH = 2_048;
const FILE_TOKENS = 1_000;

/**
 * The fields that hold files, or what a vendor has encrypted. A model reads what other fields say, also if it has no
 * spaces (`the_cat_sat`).
 */
const FILE_FIELDS = wordSet(`
  data url image_url file_data file_url video_url audio_url document_url input_audio result
  encrypted_content signature thoughtSignature thought_signature
`);

/** The longest head of a data URL, and the longest name of a field with what stands between them. */
const MAX_URL_HEAD = 1_024;
const MAX_FIELD = 48;

const URL_HEAD = /^(?:data:[^,]*;base64,)?$/;
const FIELD = /"(\w+)"\s{0,8}:\s{0,8}$/;

/** By format: what marks an event that has text, and the pattern of a text in it. The last text may be cut. */
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

/**
 * Tokens of a request to a vendor.
 * @param pieces its bytes. They are cut only inside files, and not within a file's first MIN_FILE_LENGTH bytes.
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
    for (let run = nextRun(request, start); run < request.byteLength; ) {
      const isFile = beginsFile(request, run);
      const end = isFile
        ? endOfFile(request, run + MIN_FILE_LENGTH)
        : endOfRun(request, run + MIN_FILE_LENGTH);
      if (isFile) {
        bytes -= end - run;
        files += 1;
        isInFile = end === request.byteLength;
      }
      run = nextRun(request, end);
    }
  }
  return Math.ceil(bytes / BYTES_PER_TOKEN) + files * FILE_TOKENS;
}

/** The beginning of the next run of base64 that is as long as a file; the end of the request if there is none. */
function nextRun(request: Uint8Array, from: number): number {
  let start = from;
  while (start + MIN_FILE_LENGTH <= request.byteLength) {
    // Base64 must fill this place. Read from its end, most bytes of other text are never looked at.
    let at = start + MIN_FILE_LENGTH - 1;
    while (at >= start && isBase64(request[at])) at -= 1;
    if (at < start) return start;
    start = at + 1;
  }
  return request.byteLength;
}

function endOfRun(request: Uint8Array, from: number): number {
  let at = from;
  while (isBase64(request[at])) at += 1;
  return at;
}

/** Whether a place is the beginning of a text in a field for files, or of the data in such a data URL. */
function beginsFile(request: Uint8Array, start: number): boolean {
  const before = toBuffer(request).subarray(Math.max(0, start - MAX_URL_HEAD), start);
  const quote = before.lastIndexOf(QUOTE);
  if (quote < 0 || !URL_HEAD.test(before.toString('latin1', quote + 1))) return false;
  const at = start - before.length + quote;
  const [, field = ''] = FIELD.exec(latin1OfBytes(request.subarray(Math.max(0, at - MAX_FIELD), at))) ?? [];
  return FILE_FIELDS.has(field);
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

/** The answer to one request, which it takes piece by piece. */
export class OutputEstimate {
  readonly #spoken: FormatName;
  /** Undefined before the first byte. */
  #isStream: boolean | undefined;
  /** The bytes that have come; in a stream, those from its first text on. */
  #bytes = 0;

  /** @param spoken the vendor's format. */
  constructor(spoken: FormatName) {
    this.#spoken = spoken;
  }

  /** Takes the next bytes of the answer. */
  add(chunk: Uint8Array): void {
    this.#isStream ??= chunk[0] !== OPEN_OBJECT && chunk[0] !== OPEN_LIST;
    if (!this.#isStream) {
      this.#bytes += chunk.byteLength;
      return;
    }
    // What comes before the first text is not part of the answer: some vendors repeat the whole request.
    const from = this.#bytes === 0 ? toBuffer(chunk).indexOf(TEXTS[this.#spoken].mark) : 0;
    if (from >= 0) this.#bytes += chunk.byteLength - from;
  }

  /** Whether an answer has come, and it is not a stream. */
  isWhole(): boolean {
    return this.#isStream === false;
  }

  /**
   * The tokens of the text that has come.
   * @param end the last bytes so far, which tell what share of a stream is text.
   */
  tokens(end: Uint8Array): number {
    const share = this.#isStream && this.#bytes > 0 ? this.#shareOfText(end) : 1;
    return Math.ceil((this.#bytes * share) / BYTES_PER_TOKEN);
  }

  #shareOfText(end: Uint8Array): number {
    const last = latin1OfBytes(end.subarray(Math.max(0, end.byteLength - this.#bytes)));
    // What is kept may begin inside an event, whose kind is then unknown.
    const first = last.length < this.#bytes ? last.search(EVENT_BEGINNING) : 0;
    // An event whose beginning is not kept is a long one, so it is text.
    if (first < 0) return 1;
    const events = last.slice(first);
    let bytes = 0;
    for (const [, text = ''] of events.matchAll(TEXTS[this.#spoken].text)) bytes += text.length;
    // If they have no text, it is in the event before them, of which only the end is kept: a service has sent its answer
    // in one piece, and then an error.
    return bytes > 0 ? bytes / events.length : first / last.length;
  }
}

/**
 * The reported figures, with estimates for those that are missing.
 * @param isPart whether the reported output is only that of the beginning.
 */
export function completed(
  reported: Tokens,
  passed: { input: number; output: number },
  isPart: boolean,
): Tokens {
  const { input = passed.input, output } = reported;
  return {
    ...reported,
    input,
    output: output === undefined || isPart ? Math.max(output ?? 0, passed.output) : output,
  };
}
