import { expect, test } from 'vitest';
import { isPing } from '../../src/vendors/ping.ts';

test.each([
  [': ping\n\n', true],
  [':\n\n', true],
  [': OPENROUTER PROCESSING\n\n', true],
  ['event: ping\ndata: {"type": "ping"}\n\n', true],
  ['event: ping\r\ndata: {"type": "ping"}\r\n\r\n', true],
  [': a\n\n: b\n\n', true],
  [': a\n\ndata: {"x":1}\n\n', false],
  ['event: ping\ndata: {}\n\nevent: message_stop\ndata: {}\n\n', false],
  ['event: pong\ndata: {}\n\n', false],
  ['data: {"type": "ping"}\n\n', false],
  [': half a comm', false],
  ['', false],
  [`: ${'x'.repeat(200)}\n\n`, false],
])('%j: %s', (text, expected) => {
  expect(isPing(Buffer.from(text))).toBe(expected);
  expect(isPing(new TextEncoder().encode(text))).toBe(expected);
});
