/** The memory held for an incoming message whose frames may be split anywhere. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { trackFrames } from '../../../src/server/websocket/frames.ts';
import { frameOf } from './stage.ts';

interface Part {
  readonly size: number;
  readonly fin: boolean;
}

/** A frame as in RFC 6455, 5.2, masked as a client's; the length in as few bytes as possible. */
function frame(opcode: number, fin: boolean, size: number): Buffer {
  const first = (fin ? 0x80 : 0) | opcode;
  const length =
    size < 126 ? [size] : size < 65_536 ? [126, size >> 8, size & 0xff] : [127, 0, 0, 0, 0, ...bytesOf(size)];
  const [marked = 0, ...rest] = length;
  return Buffer.concat([Buffer.from([first, 0x80 | marked, ...rest, 1, 2, 3, 4]), Buffer.alloc(size, 'x')]);
}

const bytesOf = (size: number): number[] => [24, 16, 8, 0].map((shift) => (size >> shift) & 0xff);

/** A message's frames, with a ping after each. */
function written(parts: readonly Part[]): Buffer {
  return Buffer.concat(
    parts.flatMap(({ size, fin }, at) => [
      frame(at === 0 || parts[at - 1]?.fin ? 0x01 : 0x00, fin, size),
      frame(0x09, true, 11),
    ]),
  );
}

const sizes = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constantFrom(125, 126, 65_535, 65_536));
const messages = fc.array(fc.array(sizes, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 });

describe('frames of a client', () => {
  test('however they are split, a message is open from its first byte to its last, and not outside of it', () => {
    fc.assert(
      fc.property(messages, fc.array(fc.integer({ min: 1, max: 5_000 }), { maxLength: 60 }), (all, cuts) => {
        const bytes = written(
          all.flatMap((parts) => parts.map((size, at) => ({ size, fin: at === parts.length - 1 }))),
        );
        const frames = trackFrames();
        let at = 0;
        for (const cut of cuts) {
          if (at >= bytes.length) break;
          const chunk = bytes.subarray(at, at + cut);
          at += chunk.length;
          frames.take(chunk);
          if (frames.isOpen()) expect(frames.held()).toBeGreaterThanOrEqual(1);
          else expect(frames.held()).toBe(0);
        }
        frames.take(bytes.subarray(at));
        expect({ isOpen: frames.isOpen(), whole: frames.completed(), held: frames.held() }).toEqual({
          isOpen: false,
          whole: all.length,
          held: 0,
        });
      }),
      { numRuns: 60 },
    );
  });

  test('the held memory grows with the arriving bytes, and a byte at a time takes more than its bytes', () => {
    const frame = frameOf('x'.repeat(10_000)).subarray(0, 5_000);
    const inOne = trackFrames();
    inOne.take(frame);
    expect(inOne.held()).toBeGreaterThanOrEqual(5_000);
    expect(inOne.held()).toBeLessThan(6_000);
    const byBytes = trackFrames();
    for (let at = 0; at < frame.length; at += 1) byBytes.take(frame.subarray(at, at + 1));
    expect(byBytes.held()).toBeGreaterThan(100 * 5_000);
  });

  test('after a whole message, no more is held than the read that contained its end', () => {
    const frames = trackFrames();
    frames.take(frameOf('x'.repeat(50_000)).subarray(0, 40_000));
    const rest = Buffer.concat([frameOf('x'.repeat(50_000)).subarray(40_000), frameOf('y').subarray(0, 3)]);
    frames.take(rest);
    expect(frames.isOpen()).toBe(true);
    expect(frames.held()).toBeLessThan(rest.length + 1_000);
  });
});
