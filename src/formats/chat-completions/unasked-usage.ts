/**
 * Usage of a stream whose caller did not ask for it. Where `stream_options.include_usage` asks, a chunk of usage alone
 * comes before `[DONE]`, its `choices` empty, and every other chunk may say `"usage": null` (OpenAI, Azure, Ollama and
 * others; some tell it with the last choice, as they may unasked). It is asked for in the caller's stead, and what comes
 * of that is taken out again: a client that reads `choices[0]` of every chunk would fail at that one. Bytes in, bytes
 * out: all else stays as it was written.
 */

import { type Span, scanObject } from '../../json-scan.ts';
import type { Step } from '../../streams/step.ts';
import { dialectOf } from './dialects.ts';

/** @see UsageOnRequest.ask */
export function askUsage(
  request: Buffer,
  fields: ReadonlyMap<string, Span>,
  dialect: string,
): Buffer | undefined {
  if (!dialectOf(dialect).streamOptions) return undefined;
  const stream = fields.get('stream');
  // Some services take 1 or "true" for true.
  if (stream === undefined || /^(?:false|null)$/.test(textAt(request, stream))) return undefined;
  const options = fields.get('stream_options');
  if (options === undefined) {
    const start = request.indexOf('{') + 1;
    return splice(request, { start, end: start }, '"stream_options":{"include_usage":true},');
  }
  const written = request.subarray(options.start, options.end);
  if (written.equals(NULL)) return splice(request, options, '{"include_usage":true}');
  // What else is no object, the service refuses.
  if (written[0] !== OPEN) return undefined;
  const inner = scanObject(written);
  const asked = inner.get('include_usage');
  if (asked === undefined) {
    const start = options.start + 1;
    return splice(request, { start, end: start }, `"include_usage":true${inner.size === 0 ? '' : ','}`);
  }
  if (textAt(written, asked) === 'true') return undefined;
  return splice(request, { start: options.start + asked.start, end: options.start + asked.end }, 'true');
}

/** A longer line is let pass as it is: it holds no figures, and nobody waits for its end. */
const LONGEST = 64 * 1024;

const NOTHING: Buffer = Buffer.alloc(0);
const NULL = Buffer.from('null');
const FIELD = Buffer.from('"usage"');
const DATA = Buffer.from('data:');

const OPEN = 0x7b;
const COLON = 0x3a;
const COMMA = 0x2c;
const LF = 0x0a;
const CR = 0x0d;

/** @see UsageOnRequest.hide */
export function hideUsage(): Step<Uint8Array, Uint8Array> {
  /** The beginning of a line. */
  let held = NOTHING;
  /** Whether the rest of a line comes that was let pass. */
  let isPassing = false;
  /** Whether the next line is the first one of an event, and whether the one before was, and is taken out. */
  let isFirst = true;
  let isGone = false;

  function shown(line: Buffer): Buffer {
    if (isPassing) {
      isPassing = false;
      return line;
    }
    if (line[0] === LF || line[0] === CR) {
      const kept = isGone ? NOTHING : line;
      isFirst = true;
      isGone = false;
      return kept;
    }
    const kept = line.length > LONGEST ? line : withoutUsage(line);
    isGone = isFirst && kept.length === 0;
    isFirst = false;
    return kept;
  }

  return {
    transform(chunk, out) {
      const bytes = Buffer.concat([held, chunk]);
      const kept: Buffer[] = [];
      let at = 0;
      for (let end = lineEnd(bytes, at); end !== undefined; end = lineEnd(bytes, at)) {
        kept.push(shown(bytes.subarray(at, end)));
        at = end;
      }
      held = bytes.subarray(at);
      if (isPassing || held.length > LONGEST) {
        isPassing = true;
        isFirst = false;
        isGone = false;
        kept.push(held);
        held = NOTHING;
      }
      const given = Buffer.concat(kept);
      if (given.length > 0) out.enqueue(given);
    },
    flush(out) {
      const rest = held.length === 0 ? held : shown(held);
      if (rest.length > 0) out.enqueue(rest);
    },
  };
}

/** Behind the line that begins at `at`; undefined where its end is not to be seen: a CR may be half of one. */
function lineEnd(bytes: Buffer, at: number): number | undefined {
  for (let position = at; position < bytes.length; position += 1) {
    if (bytes[position] === LF) return position + 1;
    if (bytes[position] !== CR) continue;
    const next = position + 1;
    if (next === bytes.length) return undefined;
    return bytes[next] === LF ? next + 1 : next;
  }
  return undefined;
}

/** A line without `"usage": null`; nothing of one that is a chunk of usage alone. */
function withoutUsage(line: Buffer): Buffer {
  if (!line.subarray(0, DATA.length).equals(DATA) || !line.includes(FIELD)) return line;
  const data = line.subarray(DATA.length);
  const spans = spansOf(data);
  const usage = spans?.get('usage');
  const choices = spans?.get('choices');
  if (usage === undefined || choices === undefined) return line;
  if (textAt(data, usage) === 'null') return Buffer.concat([DATA, withoutMember(data, usage)]);
  const isAlone = data[usage.start] === OPEN && /^\[\s*\]$/.test(textAt(data, choices));
  return isAlone ? NOTHING : line;
}

function spansOf(data: Buffer): ReadonlyMap<string, Span> | undefined {
  try {
    return scanObject(data);
  } catch {
    // No object of its own: as it came.
    return undefined;
  }
}

/** An object's text without the member `usage`, whose value is at `value`, and without the comma that came with it. */
function withoutMember(text: Buffer, value: Span): Buffer {
  const key = text.lastIndexOf(FIELD, value.start);
  const colon = beforeSpace(text, value.start);
  // A key that is written with escapes is none that was asked for.
  if (key < 0 || text[colon] !== COLON || beforeSpace(text, colon) !== key + FIELD.length - 1) return text;
  const before = beforeSpace(text, key);
  if (text[before] === COMMA) return splice(text, { start: before, end: value.end }, '');
  const comma = text.indexOf(COMMA, value.end);
  return splice(text, { start: key, end: comma < 0 ? value.end : comma + 1 }, '');
}

/** The last byte before `at` that is no white space. */
function beforeSpace(text: Buffer, at: number): number {
  let position = at - 1;
  while (text[position] === 0x20 || text[position] === 0x09) position -= 1;
  return position;
}

function textAt(bytes: Buffer, { start, end }: Span): string {
  return bytes.toString('latin1', start, end);
}

function splice(bytes: Buffer, { start, end }: Span, text: string): Buffer {
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(text), bytes.subarray(end)]);
}
