/**
 * Names of fields with escapes. Once an object has had a name with a backslash, some Nodes' JSON.parse reads them as others:
 * what one caller sends would change how another one is read (nodejs/node#63785).
 */

import { beforeEach, expect, test } from 'vitest';
import { KEY } from '../support/gateway.ts';
import { json } from '../support/upstream.ts';
import { useStage } from './stage.ts';

const RESTRICTED = 'gw-restricted-key-of-the-tests';
const OWN = 'gw-own-key-of-the-tests';

const stage = useStage({
  keys: [
    { name: 'restricted', key: RESTRICTED, models: ['openai/gpt-4.1', 'anthropic/claude-haiku-4-5'] },
    { name: 'own', key: OWN, stored: 'own' },
  ],
});
beforeEach(() => stage.respondWith((_, response) => json(response, {})));

async function send(path: string, text: string, key: string) {
  const response = await fetch(stage.gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' },
    body: text,
  });
  const answer = await response.text();
  return { status: response.status, answer };
}

const CHAT = '"model":"openai/gpt-4.1","messages":[{"role":"user","content":"x"}]';
const RESPONSES = '"model":"openai/gpt-4.1","input":"x"';
const MESSAGES =
  '"model":"anthropic/claude-haiku-4-5","max_tokens":9,"messages":[{"role":"user","content":"x"}]';
const ADVISOR = '"tools":[{"type":"advisor_20260301","name":"advisor",FIELD}]';
const FOREIGN = '{"id":"item_of_another_key","type":"item_reference"}';

/** FIELD stands for a field that the key may not send. */
test.each([
  ['/v1/chat/completions', `${CHAT},FIELD`, 'fallbacks', '["openai/gpt-5.4"]', RESTRICTED],
  ['/v1/chat/completions', `${CHAT},FIELD`, 'models', '["openai/gpt-5.4"]', RESTRICTED],
  ['/v1/messages', `${MESSAGES},${ADVISOR}`, 'model', '"claude-opus-4-8"', RESTRICTED],
  ['/v1/responses', `${RESPONSES},FIELD`, 'previous_response_id', '"resp_of_another_key"', OWN],
  ['/v1/responses', `"model":"openai/gpt-4.1",FIELD`, 'input', `[${FOREIGN}]`, OWN],
])('%s: %s with %s is refused, however the name is written', async (path, body, name, value, key) => {
  const stem = name.slice(0, -1);
  const last = name.charCodeAt(stem.length).toString(16).padStart(4, '0');
  const fill = (field: string): string => `{${body.replace('FIELD', field)}}`;
  // Any caller may have sent this one.
  await send(path, fill(`"${stem}\\\\":0`), KEY);
  await send(path, fill(`"${stem}\\\\":0`), key);
  const asked = stage.upstream.received.length;
  for (const written of [`${stem}\\u${last}`, name]) {
    const { status, answer } = await send(path, fill(`"${written}":${value}`), key);
    expect([status, answer]).toEqual([403, expect.stringContaining('may')]);
  }
  expect(stage.upstream.received).toHaveLength(asked);
});

test('arguments with escaped names reach another vendor as they were written', async () => {
  const ask = (name: string) =>
    `{"model":"anthropic/claude-haiku-4-5","messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":${JSON.stringify(`{"h":1,${name}:2}`)}}}]},{"role":"tool","tool_call_id":"a","content":"y"}]}`;
  await send('/v1/chat/completions', ask('"\\\\"'), KEY);
  for (const name of ['"\\""', '"\\n"', '"\\u00e9"']) {
    await send('/v1/chat/completions', ask(name), KEY);
    const sent = stage.upstream.received.at(-1)?.body.toString();
    expect(sent).toContain(`"input":{"h":1,${JSON.stringify(String(JSON.parse(name)))}:2}`);
  }
});
