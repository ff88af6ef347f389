/** Everything that a vendor sends besides an answer shows no credential and no private network address. */

import { describe, expect, test } from 'vitest';
import { failureBody, LEAKS, lateFailure, SECRETS, withEscapes } from './secrets.ts';
import { useFaultDoor } from './upstream-door.ts';
import { ask, eventTexts, native, streamedAnswer, type UpstreamWay, ways } from './upstream-ways.ts';

const door = useFaultDoor();

const KEYS = {
  'chat-completions': 'vendor-key-openai',
  responses: 'vendor-key-openai',
  messages: 'vendor-key-anthropic',
  'generate-content': 'vendor-key-google',
} as const;

const textOf = ({ spoken }: UpstreamWay): string => `Failed with ${KEYS[spoken]} ${LEAKS}`;

/** Headers of every family that passes. */
const headersOf = (way: UpstreamWay): Record<string, string> =>
  Object.fromEntries(
    [
      'x-ratelimit-scope',
      'openai-processing-ms',
      'anthropic-ratelimit-x',
      'x-goog-x',
      'x-gemini-x',
      'warning',
      'request-id',
    ].map((name) => [name, textOf(way)]),
  );

/** Expects that a text contains no secret, plain or behind escapes. */
function expectHidden(text: string, way: UpstreamWay): void {
  const plain = text
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll('\\/', '/');
  for (const secret of [KEYS[way.spoken], ...SECRETS]) expect(plain).not.toContain(secret);
}

async function expectTold(response: Response, way: UpstreamWay): Promise<string> {
  const text = await response.text();
  expect(text).toContain('Failed with');
  expect(text).toContain('[hidden]');
  expectHidden(text, way);
  expectHidden(JSON.stringify([...response.headers]), way);
  return text;
}

const spellings = [
  ['plain', (text: string) => text],
  ['with escapes', withEscapes],
] as const;

describe.each(spellings)('S-41 secrets of a vendor, %s', (_, spelled) => {
  test.each(ways)('$name: in a refusal, its code, its param and its headers', async (way) => {
    const body = spelled(JSON.stringify(failureBody(way.spoken, textOf(way))));
    door.upstream.script((wire) => wire.answer(400, body, headersOf(way)));
    for (const stream of [false, true]) {
      const response = await ask(door.url, way, stream);
      expect(response.status).toBe(400);
      await expectTold(response, way);
    }
  });

  test.each(ways)('$name: in an error that is all of a 200', async (way) => {
    const body = spelled(
      way.spoken === 'responses'
        ? JSON.stringify({ type: 'response.failed', response: failureBody('responses', textOf(way)) })
        : JSON.stringify(failureBody(way.spoken, textOf(way))),
    );
    door.upstream.script((wire) => wire.answer(200, body, headersOf(way)));
    await expectTold(await ask(door.url, way, false), way);
  });

  test.each(ways)('$name: in the first event', async (way) => {
    const event = spelled(lateFailure(way.spoken, textOf(way)));
    for (const pieces of [[event], event.split(/(?<=e)/)]) {
      door.upstream.script((wire) => {
        wire.stream(pieces, headersOf(way));
        wire.lastChunk();
      });
      await expectTold(await ask(door.url, way, true), way);
    }
  });

  test.each(ways)('$name: in a late event', async (way) => {
    const begun = eventTexts(streamedAnswer(way.spoken)).slice(0, way.spoken === 'responses' ? 5 : 3);
    const event = spelled(lateFailure(way.spoken, textOf(way)));
    for (const pieces of [[event], event.split(/(?<=e)/)]) {
      door.upstream.script((wire) => {
        wire.stream([...begun, ...pieces], headersOf(way));
        wire.lastChunk();
      });
      const text = await expectTold(await ask(door.url, way, true), way);
      if (native.includes(way)) expect(text.startsWith(begun.join(''))).toBe(true);
    }
  });
});

test.each(ways)('S-41 $name: the headers of an answer show none either', async (way) => {
  door.upstream.script(
    (wire) => wire.stream([streamedAnswer(way.spoken)], headersOf(way)) ?? wire.lastChunk(),
  );
  const response = await ask(door.url, way, true);
  expect(response.status).toBe(200);
  expect(response.headers.get('x-ratelimit-scope')).toContain('Failed with [hidden]');
  expectHidden(JSON.stringify([...response.headers]), way);
  await response.text();
});
