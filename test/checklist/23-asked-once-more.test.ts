/** Checklist, section 23: leftovers of another vendor that a vendor rejects, and is then sent the dialogue without. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asObject, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { FIXTURES } from '../support/recording.ts';
import { type Caller, claudeBoth, OPENAI, RESPONDER, useDoor } from './support.ts';

const door = useDoor();

describe('checklist 191: thoughts that Claude does not accept do not end a dialogue', () => {
  const thought = {
    type: 'reasoning.text',
    text: 'Hm.',
    signature: 'c2lnbmVk',
    format: 'anthropic-claude-v1',
    index: 0,
  };
  const messages = [
    { role: 'system', content: 'It is Monday.' },
    { role: 'user', content: 'Rome?' },
    { role: 'assistant', content: 'Sunny.', reasoning_details: [thought] },
    { role: 'user', content: 'And Paris?' },
  ];
  const model = 'anthropic/claude-opus-5-5';
  const refusal = (message: string): string =>
    JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } });
  const bound =
    'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. ' +
    'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';

  const unread = [
    'messages.1.content.0: Invalid `signature` in `thinking` block',
    'messages.1.content.1: Invalid `data` in `redacted_thinking` block',
    'messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.',
  ];

  test.each<['whole' | 'stream', string]>([
    ['stream', bound],
    ...[bound, ...unread].map((told) => ['whole', told] as ['whole', string]),
  ])('checklist 191: they are left out then (%s, %s)', async (mode, told) => {
    const said = claudeBoth([{ type: 'text', text: 'Rainy.' }], 'end_turn')[mode];
    const bodies: string[] = [];
    door.answers(({ body }, response) => {
      bodies.push(body.toString('utf8'));
      if (bodies.length === 1)
        response.writeHead(400, { 'content-type': 'application/json' }).end(refusal(told));
      else response.writeHead(200, { 'content-type': said.type }).end(said.body);
    });
    const { status, text } = await door[mode]('chat-completions', model, { messages });
    expect(status).toBe(200);
    expect(text).toContain('Rainy.');
    expect(bodies.map((body) => body.includes('"thinking":"Hm."'))).toEqual([true, false]);
    expect(bodies[1]).toContain('Sunny.');
  });

  test('checklist 191: any other rejection is passed on', async () => {
    door.answers((_, response) =>
      response.writeHead(400, { 'content-type': 'application/json' }).end(refusal('max_tokens: too large')),
    );
    const { status } = await door.whole('chat-completions', model, { messages });
    expect(status).toBe(400);
    expect(door.upstream().received).toHaveLength(1);
  });

  test('checklist 191: it is retried once, and not again', async () => {
    door.answers((_, response) =>
      response.writeHead(400, { 'content-type': 'application/json' }).end(refusal(bound)),
    );
    const { status, text } = await door.whole('chat-completions', model, { messages });
    expect(status).toBe(400);
    expect(text).toContain('bound to a different conversation');
    expect(door.upstream().received).toHaveLength(2);
  });
});

describe('checklist 199: thoughts that were encrypted for another account of OpenAI do not end a dialogue', () => {
  const secret = 'gAAAAABhbm90aGVy';
  const said = (from: Caller): JsonObject => {
    if (from === 'messages') {
      const thought = { type: 'thinking', thinking: '', signature: `openai#${secret}` };
      return {
        messages: [
          { role: 'user', content: 'Rome?' },
          { role: 'assistant', content: [thought, { type: 'text', text: 'Sunny.' }] },
          { role: 'user', content: 'And Paris?' },
        ],
      };
    }
    return {
      store: false,
      input: [
        { role: 'user', content: 'Rome?' },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: secret },
        { role: 'assistant', content: 'Sunny.' },
        { role: 'user', content: 'And Paris?' },
      ],
    };
  };
  const refusal = (message: string, code: string | null): string =>
    JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code } });
  const another =
    'The encrypted content gAAA...eXI= could not be verified. Reason: Encrypted content organization_id did not match ' +
    'the target organization.';
  const answer = (ending: 'json' | 'sse'): Buffer =>
    readFileSync(join(FIXTURES, 'replies', 'responses', `plain-text.${ending}`));
  const ways = (['messages', 'responses'] as const).flatMap((from) =>
    (['whole', 'stream'] as const).map((mode) => ({ from, mode })),
  );

  test.each(ways)('checklist 199: they are left out ($from, $mode)', async ({ from, mode }) => {
    const bodies: string[] = [];
    door.answers(({ body }, response) => {
      bodies.push(body.toString('utf8'));
      if (bodies.length === 1)
        response
          .writeHead(400, { 'content-type': 'application/json' })
          .end(refusal(another, 'invalid_encrypted_content'));
      else if (mode === 'whole')
        response.writeHead(200, { 'content-type': 'application/json' }).end(answer('json'));
      else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer('sse'));
    });
    const { status, text } = await door[mode](from, 'openai/gpt-5.4', said(from));
    expect(status, text).toBe(200);
    expect(bodies.map((body) => body.includes(secret))).toEqual([true, false]);
    expect(bodies.map((body) => body.includes('Sunny.'))).toEqual([true, true]);
  });

  const flat = (error: string): string => JSON.stringify({ code: 'invalid-argument', error });
  /** xAI's, of a thought and of what it takes for more than one; Meta's; Azure's, of several resources' in one dialogue; OpenAI's, of a model that does not think. */
  test.each([
    flat(
      'Could not decrypt the provided encrypted_content. Ensure the value is the unmodified encrypted_content from a previous response.',
    ),
    flat('Could not decode the compaction blob. Ensure it is unmodified from the compact response.'),
    refusal('reasoning `encrypted_content` was not issued to this caller', null),
    refusal('Conflicting authenticated continuation identities.', 'invalid_value'),
    refusal('Reasoning input items can only be provided to a reasoning or computer use model.', null),
  ])('checklist 199: also if a service words it differently: %s', async (told) => {
    const bodies: string[] = [];
    door.answers(({ body }, response) => {
      bodies.push(body.toString('utf8'));
      if (bodies.length === 1) response.writeHead(400, { 'content-type': 'application/json' }).end(told);
      else response.writeHead(200, { 'content-type': 'application/json' }).end(answer('json'));
    });
    expect((await door.whole('responses', RESPONDER, said('responses'))).status).toBe(200);
    expect(bodies.map((body) => body.includes(secret))).toEqual([true, false]);
  });

  test.each(['messages', 'responses'] as const)(
    'checklist 199: but not for any other rejection (%s)',
    async (from) => {
      door.answers((_, response) =>
        response
          .writeHead(400, { 'content-type': 'application/json' })
          .end(refusal("Unsupported parameter: 'temperature'", 'unsupported_parameter')),
      );
      expect((await door.whole(from, RESPONDER, said(from))).status).toBe(400);
      expect(door.upstream().received).toHaveLength(1);
    },
  );
});

describe('checklist 200: a dialogue with item ids of another service continues with GPT', () => {
  const sunny = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Sunny.' }] };
  const more = {
    store: false,
    input: [{ role: 'user', content: 'Rome?' }, sunny, { role: 'user', content: 'And Paris?' }],
  };
  const told = {
    error: {
      message: "Invalid 'input[1].id': '019f629b-43ee'. Expected an ID that begins with 'msg'.",
      type: 'invalid_request_error',
      param: 'input[1].id',
      code: 'invalid_id_prefix',
    },
  };

  test('checklist 200: without the ids, after they were rejected', async () => {
    const bodies: JsonObject[] = [];
    door.answers(({ body }, response) => {
      bodies.push(asObject(parseJson(body.toString('utf8'))) ?? {});
      const isFirst = bodies.length === 1;
      response
        .writeHead(isFirst ? 400 : 200, { 'content-type': 'application/json' })
        .end(
          isFirst
            ? JSON.stringify(told)
            : readFileSync(join(FIXTURES, 'replies', 'responses', 'plain-text.json')),
        );
    });
    const numbered = more.input.map((item, at) => (at === 1 ? { ...item, id: '019f629b-43ee' } : item));
    const { status, text } = await door.whole('responses', OPENAI, { ...more, input: numbered });
    expect(status, text).toBe(200);
    expect(bodies.map((body) => body['input'])).toEqual([numbered, more.input]);
  });
});
