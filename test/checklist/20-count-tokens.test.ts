/** Checklist, section 20: counting tokens. */

import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/json.ts';
import { KEY } from '../support/gateway.ts';
import { at, CLAUDE, GEMINI, OPENAI, QWEN, useDoor } from './support.ts';

const door = useDoor();

async function ask(path: string, body: object): Promise<Response> {
  return fetch(door.url() + path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'x-api-key': KEY },
  });
}

describe('counting tokens', () => {
  const body = {
    model: CLAUDE,
    system: 'Be brief.',
    tools: [{ name: 'f', input_schema: { type: 'object', properties: {} } }],
    messages: [{ role: 'user', content: 'Hi' }],
  };

  test('checklist 134: the path is found with a query', async () => {
    door.answers((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":728}'),
    );
    const response = await ask('/v1/messages/count_tokens?beta=true', body);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ input_tokens: 728 });
    expect(door.upstream().received[0]?.url).toBe('/v1/messages/count_tokens?beta=true');
  });

  test('checklist 135: the vendor counts all of it: system, tools and messages', async () => {
    door.answers((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":728}'),
    );
    await ask('/v1/messages/count_tokens', body);
    expect(door.sent()).toEqual({ ...body, model: 'claude-sonnet-4-5' });
  });

  test.each([OPENAI, GEMINI, QWEN])('checklist 136: nothing is guessed: %s is a 400', async (model) => {
    const response = await ask('/v1/messages/count_tokens', { ...body, model });
    expect(response.status).toBe(400);
    expect(at(parseJson(await response.text()), 'error.type')).toBe('invalid_request_error');
    expect(door.upstream().received).toHaveLength(0);
  });
});
