/** A native dialogue in which a client has left half of a pair of blocks of Anthropic's own tools goes on. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asObjects, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { CLAUDE, useDoor } from '../checklist/support.ts';
import { FIXTURES } from '../support/recording.ts';

const door = useDoor();

const use = (id: string, name = 'web_search'): JsonObject => ({
  type: 'server_tool_use',
  id,
  name,
  input: {},
});
const found = (id: string, type = 'web_search_tool_result'): JsonObject => ({
  type,
  tool_use_id: id,
  content: [],
});
const text = (words: string): JsonObject => ({ type: 'text', text: words });
const says = (...content: JsonObject[]): JsonObject => ({ role: 'assistant', content });
const asks = (...content: JsonObject[]): JsonObject => ({ role: 'user', content });

const HI = asks(text('Hi'));
const GO = asks(text('Go on'));
const WHOLE = says(use('srvtoolu_a'), found('srvtoolu_a'), text('A.'));

const unexpected = (type: string): string =>
  `messages.3.content.0: unexpected \`tool_use_id\` found in \`${type}\` blocks: srvtoolu_b. Each \`${type}\` block must have a corresponding \`server_tool_use\` block before it.`;
const without = (name: string): string =>
  `messages.3: \`${name}\` tool use with id \`srvtoolu_b\` was found without a corresponding \`${name}_tool_result\` block`;

/** What the vendor is sent, its refusal, and what it is sent then. */
const ROWS: readonly [string, readonly JsonObject[], string, readonly JsonObject[]][] = [
  [
    'a result without its call',
    [HI, WHOLE, GO, says(found('srvtoolu_b', 'advisor_tool_result'), text('B.')), GO],
    unexpected('advisor_tool_result'),
    [HI, WHOLE, GO, says(text('B.')), GO],
  ],
  [
    'a call without its result',
    [HI, WHOLE, GO, says(use('srvtoolu_b', 'code_execution'), text('B.')), GO],
    without('code_execution'),
    [HI, WHOLE, GO, says(text('B.')), GO],
  ],
  [
    'a turn of nothing else',
    [HI, WHOLE, GO, says(use('srvtoolu_b')), GO],
    without('web_search'),
    [HI, WHOLE, GO, GO],
  ],
  [
    'a call that the client has answered',
    [
      HI,
      WHOLE,
      GO,
      says(text('B.'), use('srvtoolu_b')),
      asks({ type: 'tool_result', tool_use_id: 'srvtoolu_b', content: 'No such tool', is_error: true }),
    ],
    unexpected('tool_result'),
    [HI, WHOLE, GO, says(text('B.')), asks(text('No such tool'))],
  ],
];

async function turnsAfter(
  refusal: string,
  messages: readonly JsonObject[],
): Promise<readonly JsonObject[][]> {
  const sent: JsonObject[][] = [];
  door.answers(({ body }, response) => {
    const request = parseJson(body.toString('utf8'));
    sent.push([...asObjects(Object(request)['messages'])]);
    const error = { type: 'error', error: { type: 'invalid_request_error', message: refusal } };
    const reply = readFileSync(join(FIXTURES, 'replies/messages/plain-text.json'));
    response
      .writeHead(sent.length === 1 ? 400 : 200, { 'content-type': 'application/json' })
      .end(sent.length === 1 ? JSON.stringify(error) : reply);
  });
  const { status, text: said } = await door.whole('messages', CLAUDE, { messages });
  expect(status, said).toBe(200);
  return sent;
}

test.each(ROWS)('%s', async (_, given, refusal, mended) => {
  expect(await turnsAfter(refusal, given)).toEqual([given, mended]);
});

test('a call whose code waits for a function stays', async () => {
  const code = use('srvtoolu_c', 'code_execution');
  const caller = { type: 'code_execution_20260120', tool_id: 'srvtoolu_c' };
  const calls = says(code, { type: 'tool_use', id: 'toolu_1', name: 'f', input: {}, caller });
  const results = asks({ type: 'tool_result', tool_use_id: 'toolu_1', content: '1' });
  const given = [HI, says(found('srvtoolu_b'), text('B.')), GO, calls, results];
  const mended = [HI, says(text('B.')), GO, calls, results];
  expect(await turnsAfter(unexpected('web_search_tool_result'), given)).toEqual([given, mended]);
});
