/**
 * Notes of exchanges as bytes, for another thread: a number takes eight, a text its length and its UTF-8. To post them
 * as values takes the posting thread five times as long (measured), all of it between two requests. Whose exchange it
 * was and of what, which most of them have in common, is written once for all of them.
 */

import type { Model, Rates } from '../../catalog/model.ts';
import { pricesAt } from '../../catalog/prices-at.ts';
import { type FormatName, OPERATIONS } from '../../conversation/prompt.ts';
import { TIERS } from '../../conversation/tokens.ts';
import { usageReaders } from '../../formats/usage-readers.ts';
import { isFault } from '../../lib/errors.ts';
import type { GaveWay } from '../usage/exchange-record.ts';
import type { ClosedLedger } from '../usage/ledger.ts';

/** Notes that are put together to be sent. */
export interface RecordWriter {
  add(closed: ClosedLedger): void;
  /** How many there are, and how many bytes they take. */
  count(): number;
  size(): number;
  /** All of them, which are none of the notebook's any more. @param blank memory for the next ones, if there is any. */
  take(blank?: ArrayBuffer): EncodedRecords;
}

/** The notes of a notebook: the first so many bytes. */
export interface EncodedRecords {
  readonly bytes: ArrayBuffer;
  readonly length: number;
}

/** Whose exchange it was, and of what. */
type Head = Pick<ClosedLedger, 'key' | 'group' | 'vendor' | 'format' | 'spoken' | 'operation' | 'model'>;

/** As it is written: of the model's prices, those of the exchange's time. */
interface WrittenHead extends Head {
  readonly prices: Model['prices'] | undefined;
}

/** Heads that are known by their number, the first ones of a notebook; any other one is written with its note. */
const HEADS = 16;

/** Stands for a text that is not there: of a longer one, no more than fits is kept. */
const NONE = 0xffff;

/** Bytes that a notebook begins with: some tens of notes. */
const BEGIN = 64 * 1024;

/** The longest text that is written by hand. */
const SHORT = 64;

/** What the fixed part of a note takes at most, in bytes: numbers, lengths and yes or no. */
const FIXED = 400;

/** A third of what the fixed part of a model takes that gave way to another. */
const GAVE_WAY = 20;

export function openRecordWriter(): RecordWriter {
  let bytes = Buffer.from(new ArrayBuffer(BEGIN));
  let view = viewOf(bytes);
  let at = 0;
  let count = 0;
  let heads: WrittenHead[] = [];

  function makeRoom(needed: number): void {
    if (bytes.length - at >= needed) return;
    const larger = Buffer.from(new ArrayBuffer(2 * (at + needed)));
    bytes.copy(larger, 0, 0, at);
    bytes = larger;
    view = viewOf(bytes);
  }

  /** NaN is none. */
  function number(value: number | undefined): void {
    view.setFloat64(at, value ?? Number.NaN, true);
    at += 8;
  }

  function text(value: string | undefined): void {
    const length = value === undefined ? NONE : written(value, at + 2);
    view.setUint16(at, length, true);
    at += length === NONE ? 2 : 2 + length;
  }

  /** Names are short and of ASCII: to write them by hand takes half the time of the call that writes any text. */
  function written(value: string, start: number): number {
    if (value.length > SHORT) return bytes.write(value, start, NONE - 1);
    for (let index = 0; index < value.length; index += 1) {
      const code = value.charCodeAt(index);
      if (code > 0x7f) return bytes.write(value, start);
      bytes[start + index] = code;
    }
    return value.length;
  }

  function yes(value: boolean): void {
    bytes[at] = value ? 1 : 0;
    at += 1;
  }

  /** Its number if it is known; if not the next one, and what it says. */
  function head({ key, group, vendor, format, spoken, operation, model, time }: ClosedLedger): void {
    const prices = model && pricesAt(model.prices, time);
    const known = heads.findIndex(
      (one) =>
        one.model === model &&
        one.prices === prices &&
        one.key === key &&
        one.group === group &&
        one.vendor === vendor &&
        one.format === format &&
        one.spoken === spoken &&
        one.operation === operation,
    );
    bytes[at] = known < 0 ? heads.length : known;
    at += 1;
    if (known >= 0) return;
    if (heads.length < HEADS) heads.push({ key, group, vendor, format, spoken, operation, model, prices });
    text(key);
    text(group);
    text(vendor);
    text(format);
    text(spoken);
    text(operation);
    text(model?.id);
    if (prices === undefined) return;
    const { long, searches, tiers } = prices;
    rates(prices);
    number(searches);
    for (const tier of TIERS) number(tiers?.[tier]);
    number(long?.above);
    if (long !== undefined) rates(long);
  }

  function rates({ input, output, cacheRead, cacheWrite, cacheWriteHour }: Rates): void {
    number(input);
    number(output);
    number(cacheRead);
    number(cacheWrite);
    number(cacheWriteHour);
  }

  return {
    add(closed) {
      const { id, key, group, tag, model, vendor, cause, gaveWay = [], remains, passed } = closed;
      const rest = remains.reduce((sum, piece) => sum + piece.byteLength, 0);
      const texts =
        id.length +
        lengthOf(key) +
        lengthOf(group) +
        lengthOf(tag) +
        lengthOf(model?.id) +
        lengthOf(vendor) +
        lengthOf(cause) +
        gaveWay.reduce((sum, each) => sum + GAVE_WAY + each.model.length + each.vendor.length, 0);
      makeRoom(FIXED + rest + 3 * texts);
      count += 1;
      head(closed);
      number(closed.time);
      number(closed.status);
      number(closed.duration);
      number(closed.firstByte);
      number(closed.attempts);
      number(closed.violations);
      number(passed?.input);
      number(passed?.output);
      yes(closed.streamed);
      yes(closed.finished);
      text(id);
      text(tag);
      text(closed.fault);
      text(closed.cause);
      number(gaveWay.length);
      for (const each of gaveWay) {
        text(each.model);
        text(each.vendor);
        text(each.fault);
        number(each.attempts);
      }
      view.setUint32(at, rest, true);
      at += 4;
      for (const piece of remains) {
        bytes.set(piece, at);
        at += piece.byteLength;
      }
    },
    count: () => count,
    size: () => at,
    take(blank = new ArrayBuffer(BEGIN)) {
      const taken = { bytes: bytes.buffer, length: at };
      bytes = Buffer.from(blank);
      view = viewOf(bytes);
      at = 0;
      count = 0;
      heads = [];
      return taken;
    },
  };
}

/** Notes as they were taken. @throws RangeError or TypeError where the bytes are none. */
export function* decodeRecords({ bytes: taken, length: end }: EncodedRecords): Generator<ClosedLedger> {
  const bytes = Buffer.from(taken, 0, end);
  const heads: Head[] = [];
  let at = 0;

  function number(): number | undefined {
    const value = bytes.readDoubleLE(at);
    at += 8;
    return Number.isNaN(value) ? undefined : value;
  }

  function text(): string | undefined {
    const length = bytes.readUInt16LE(at);
    at += 2;
    if (length === NONE) return undefined;
    at += length;
    return bytes.toString('utf8', at - length, at);
  }

  function yes(): boolean {
    at += 1;
    return bytes.readUInt8(at - 1) === 1;
  }

  function prices(): Model['prices'] {
    const usual = rates();
    const searches = number();
    const multiples = TIERS.map((tier) => [tier, number()] as const).filter(
      ([, times]) => times !== undefined,
    );
    const above = number();
    return {
      ...usual,
      ...(searches !== undefined && { searches }),
      ...(multiples.length > 0 && { tiers: Object.fromEntries(multiples) }),
      ...(above !== undefined && { long: { above, ...rates() } }),
    };
  }

  function rates(): Rates {
    const [input, output] = [number() ?? 0, number() ?? 0];
    const [cacheRead, cacheWrite, cacheWriteHour] = [number(), number(), number()];
    return {
      input,
      output,
      ...(cacheRead !== undefined && { cacheRead }),
      ...(cacheWrite !== undefined && { cacheWrite }),
      ...(cacheWriteHour !== undefined && { cacheWriteHour }),
    };
  }

  function whatGaveWay(many: number): ClosedLedger['gaveWay'] {
    const all: GaveWay[] = [];
    for (let read = 0; read < many; read += 1) {
      const [model = '', vendor = '', fault = '', attempts = 0] = [text(), text(), text(), number()];
      if (isFault(fault)) all.push({ model, vendor, fault, attempts });
    }
    return many === 0 ? undefined : all;
  }

  function rest(): readonly Uint8Array[] {
    const length = bytes.readUInt32LE(at);
    at += 4 + length;
    return length === 0 ? [] : [bytes.subarray(at - length, at)];
  }

  function head(): Head {
    at += 1;
    const known = heads[bytes.readUInt8(at - 1)];
    if (known !== undefined) return known;
    const [key, group, vendor] = [text(), text(), text()];
    const [format, spoken, operation, modelId] = [formatOf(text()), formatOf(text()), text(), text()];
    if (format === undefined) throw new TypeError('A note without a format is none.');
    const read: Head = {
      key,
      group,
      vendor,
      format,
      spoken,
      operation: OPERATIONS.find((known) => known === operation) ?? 'generate',
      model: modelId === undefined ? undefined : { id: modelId, prices: prices() },
    };
    if (heads.length < HEADS) heads.push(read);
    return read;
  }

  while (at < bytes.length) {
    const { key, group, vendor, format, spoken, operation, model } = head();
    const [time, status, duration] = [number() ?? 0, number() ?? 0, number() ?? 0];
    const [firstByte, attempts, violations] = [number(), number() ?? 0, number()];
    const [input, output] = [number(), number()];
    const [streamed, finished] = [yes(), yes()];
    const [id, tag, fault, cause] = [text() ?? '', text(), text(), text()];
    const gaveWay = whatGaveWay(number() ?? 0);
    yield {
      id,
      time,
      key,
      group,
      tag,
      model,
      vendor,
      format,
      spoken,
      operation,
      streamed,
      status,
      fault: fault !== undefined && isFault(fault) ? fault : undefined,
      cause,
      duration,
      firstByte,
      attempts,
      gaveWay,
      violations,
      remains: rest(),
      finished,
      passed: input === undefined || output === undefined ? undefined : { input, output },
    };
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

const lengthOf = (text: string | undefined): number => text?.length ?? 0;

function formatOf(text: string | undefined): FormatName | undefined {
  return text !== undefined && isFormat(text) ? text : undefined;
}

function isFormat(text: string): text is FormatName {
  return Object.hasOwn(usageReaders, text);
}
