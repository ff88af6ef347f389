/** Checklist, section 23: what a caller's own format takes and a vendor refuses. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { at, type Caller, CLAUDE, GEMINI, useDoor } from './support.ts';

const door = useDoor();

/** What the vendor of `model` is sent for a request: it is asked for no answer. */
async function sentFor(from: Caller, model: string, more: JsonObject): Promise<JsonObject> {
  door.answers((_, response) => response.writeHead(418).end('{}'));
  const { text } = await door.whole(from, model, more);
  expect(door.upstream().received.length, text).toBeGreaterThan(0);
  return door.sent();
}

describe('checklist 145: an image goes by the type its vendor knows it by', () => {
  const JPEG = '/9j/4AAQSkZJRg==';
  const image = (type: string, data: string): JsonObject => ({
    messages: [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:${type};base64,${data}` } }] },
    ],
  });

  test.each([
    ['image/png', JPEG, 'image/jpeg'],
    ['image/jpeg', 'iVBORw0KGgo=', 'image/png'],
    ['image/jpg', JPEG, 'image/jpeg'],
    ['application/octet-stream', JPEG, 'image/jpeg'],
    ['image/webp', 'AAAA', 'image/webp'],
  ])('checklist 145: to Anthropic, %s that begins as %s does', async (said, data, type) => {
    const sent = await sentFor('chat-completions', CLAUDE, image(said, data));
    expect(at(sent, 'messages.0.content.0.source')).toEqual({ type: 'base64', media_type: type, data });
  });

  test('checklist 145: to Google, image/jpg by its registered name', async () => {
    const sent = await sentFor('chat-completions', GEMINI, image('image/jpg', JPEG));
    expect(at(sent, 'contents.0.parts.0.inlineData')).toEqual({ mimeType: 'image/jpeg', data: JPEG });
  });
});
