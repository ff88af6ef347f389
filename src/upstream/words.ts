/**
 * Tells the words of an answer from signs of life: bytes that say no more than that the vendor is still there. In a
 * stream of events those are empty lines, comments, fields without content (`event`, `id`, `retry`, an empty `data`) and
 * events that are called `ping` (Anthropic), however they are cut into pieces. In any other body it is white space.
 */

import { toBuffer } from './net/to-buffer.ts';

/** Whether a piece of a body, in the order in which the pieces come, holds a word of the answer or a part of one. */
export type WordReader = (piece: Uint8Array) => boolean;

const LF = 0x0a;
const CR = 0x0d;
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';

/** As much of a line as tells what it is, in bytes. The rest of a longer one is not looked at. */
const HEAD = 64;

/** A comment, or a field: data, event, id or retry (WHATWG HTML, 9.2.6). */
const EVENT_STREAM = ':deir';

/** Data of an event that has its name inside alone, as services write it that speak Anthropic's format by half. */
const PING_DATA = /^\{\s{0,8}"type"\s{0,8}:\s{0,8}"ping"/;

/** @param isEventStream whether the answer's head says that it is one; the first byte tells where it does not. */
export function wordReader(isEventStream: boolean): WordReader {
  let read = isEventStream ? eventReader() : undefined;
  return (piece) => {
    if (read === undefined) {
      const first = piece.find((byte) => !isSpace(byte));
      if (first === undefined) return false;
      read = EVENT_STREAM.includes(String.fromCharCode(first)) ? eventReader() : hasInk;
    }
    return read(piece);
  };
}

function eventReader(): WordReader {
  /** The beginning of the line that has not ended yet, as latin1. */
  let head = '';
  let isFirst = true;
  /** Whether the last byte was a CR, of which a LF is the other half. */
  let isBroken = false;
  /** Whether the event that is being told is a ping. */
  let isPing = false;

  /** Looks at a line, or at its beginning, and tells whether it is a word. */
  const look = (isWhole: boolean): boolean => {
    const line = isFirst && head.startsWith(BYTE_ORDER_MARK) ? head.slice(BYTE_ORDER_MARK.length) : head;
    if (line === '' && isWhole) isPing = false;
    const colon = line.indexOf(':');
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    const field = colon < 0 ? line : line.slice(0, colon);
    if (field === 'event' && isWhole) isPing = value === 'ping';
    if (field !== 'data' || isPing || value.trim() === '') return false;
    // An object may be a ping for as long as its type is not in sight.
    return isWhole || line.length >= HEAD || value[0] !== '{' ? !PING_DATA.test(value) : false;
  };

  return (piece) => {
    const bytes = toBuffer(piece);
    let hasWord = false;
    let start = 0;
    let lf = bytes.indexOf(LF);
    let cr = bytes.indexOf(CR);
    while (start < bytes.length) {
      if (isBroken && bytes[start] === LF) start += 1;
      isBroken = false;
      if (lf >= 0 && lf < start) lf = bytes.indexOf(LF, start);
      if (cr >= 0 && cr < start) cr = bytes.indexOf(CR, start);
      const end = lf < 0 || (cr >= 0 && cr < lf) ? cr : lf;
      const stop = end < 0 ? bytes.length : end;
      const room = HEAD - head.length;
      if (room > 0) head += bytes.toString('latin1', start, Math.min(stop, start + room));
      hasWord = (start < stop || end >= 0) && look(end >= 0) ? true : hasWord;
      if (end < 0) break;
      head = '';
      isFirst = false;
      isBroken = end === cr;
      start = end + 1;
    }
    return hasWord;
  };
}

/** Whether there is anything but white space in a piece. */
function hasInk(piece: Uint8Array): boolean {
  return piece.some((byte) => !isSpace(byte));
}

/** White space (RFC 8259, 2), or a byte order mark's. */
function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0xef || byte === 0xbb || byte === 0xbf;
}
