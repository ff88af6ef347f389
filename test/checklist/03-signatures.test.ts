/** Checklist, section 3: signatures. */

import { describe, expect, test } from 'vitest';
import { unreported } from '../../src/formats/format.ts';
import { formats } from '../../src/formats/formats.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { PERMISSIVE } from '../support/meaning.ts';
import { goOn, nextRequest, turnOf } from './client.ts';
import {
  at,
  CALLERS,
  chatStream,
  chunk,
  completion,
  GEMINI,
  GEMINI_3,
  GEMINI_ROUTED,
  gemini,
  geminiBoth,
  json,
  listAt,
  useDoor,
} from './support.ts';

const door = useDoor();

const weather = (signature?: string): JsonObject => ({
  functionCall: { name: 'get_weather', args: { city: 'Rom' } },
  ...(signature !== undefined && { thoughtSignature: signature }),
});

const ways = CALLERS.flatMap((from) => (['whole', 'stream'] as const).map((mode) => ({ from, mode })));

describe("checklist 24: the signature of Gemini's call is sent back to it", () => {
  test.each(ways)('checklist 24: $from, $mode', async ({ from, mode }) => {
    const sent = await goOn(door, from, GEMINI_3, geminiBoth([weather('c2lnbmF0dXJl')])[mode], mode, [
      'sunny',
    ]);
    expect(listAt(sent, 'contents.1.parts')).toEqual([weather('c2lnbmF0dXJl')]);
  });

  test('checklist 24: a chat client gets it in Google’s own field', async () => {
    door.answers(json(gemini([weather('c2lnbmF0dXJl')], 'STOP')));
    const { json: body } = await door.whole('chat-completions', GEMINI_3);
    expect(at(body, 'choices.0.message.tool_calls.0.extra_content')).toEqual({
      google: { thought_signature: 'c2lnbmF0dXJl' },
    });
  });

  test("checklist 24: in OpenRouter's reasoning_details it is sent back too", async () => {
    const turn = {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rom"}' } },
      ],
      reasoning_details: [
        {
          type: 'reasoning.encrypted',
          data: 'c2lnbmF0dXJl',
          id: 'call_1',
          format: 'google-gemini-v1',
          index: 0,
        },
      ],
    };
    door.answers(json(gemini([{ text: 'Ok.' }], 'STOP')));
    await door.whole('chat-completions', GEMINI_3, nextRequest('chat-completions', [turn], ['sunny']));
    expect(listAt(door.sent(), 'contents.1.parts')).toEqual([weather('c2lnbmF0dXJl')]);
  });

  test('checklist 24: a messages client may send the block with it in a separate message', async () => {
    door.answers(json(gemini([weather('c2lnbmF0dXJl')], 'STOP')));
    const { json: body } = await door.whole('messages', GEMINI_3);
    const blocks = listAt(body, 'content');
    expect(blocks).toMatchObject([{ type: 'thinking', thinking: '' }, { type: 'tool_use' }]);
    const turns = blocks.map((block) => ({ role: 'assistant', content: [block] }));
    const id = at(body, 'content.1.id') ?? '';
    const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'sunny' }] };
    await door.whole('messages', GEMINI_3, {
      messages: [{ role: 'user', content: 'Hello?' }, ...turns, result],
    });
    expect(listAt(door.sent(), 'contents.1.parts')).toEqual([weather('c2lnbmF0dXJl')]);
  });
});

describe('checklist 25: a signature stays on its part, whatever the kind of the part', () => {
  const kinds: [name: string, parts: JsonObject[]][] = [
    ['a thought', [{ text: 'Hm.', thought: true, thoughtSignature: 'dGhvdWdodA==' }, { text: 'Yes.' }]],
    ['a text', [{ text: 'Yes.', thoughtSignature: 'dGV4dA==' }]],
    [
      'a call after a thought with one of its own',
      [{ text: 'Hm.', thought: true, thoughtSignature: 'b25l' }, weather('dHdv')],
    ],
    ['a text before a call', [{ text: 'Yes.', thoughtSignature: 'dGV4dA==' }, weather('dHdv')]],
    ['an empty text at the end', [{ text: 'Yes.' }, { text: '', thoughtSignature: 'ZW5k' }]],
  ];
  const include = ['reasoning.encrypted_content'];
  const asked = [
    ...ways.map((way) => ({ ...way, more: {}, asking: '' })),
    ...ways
      .filter(({ from }) => from === 'responses')
      .map((way) => ({ ...way, more: { include }, asking: ', included' })),
  ];
  test.each(kinds.flatMap(([name, parts]) => asked.map((way) => ({ name, parts, ...way }))))(
    'checklist 25: $name ($from, $mode$asking)',
    async ({ name, parts, from, mode, more }) => {
      const results = parts.some((part) => part['functionCall']) ? ['sunny'] : [];
      const sent = await goOn(door, from, GEMINI_3, geminiBoth(parts)[mode], mode, results, more);
      const signed = (list: readonly JsonObject[]): unknown[] =>
        list.filter((part) => part['thoughtSignature'] !== undefined).map((part) => part['thoughtSignature']);
      // Claude Code takes the last block of an answer for its text, so no block comes after the last text.
      const isLost = from === 'messages' && parts.at(-1)?.['text'] !== undefined && name !== 'a thought';
      // Callers of responses take the last item for the answer, and get an item for a text's signature only if they ask.
      const isAsked = from !== 'responses' || 'include' in more;
      const kept = isAsked
        ? parts
        : parts.filter((part) => part['text'] === undefined || part['thought'] === true);
      expect(signed(listAt(sent, 'contents.1.parts'))).toEqual(isLost ? [] : signed(kept));
      const text = (list: readonly JsonObject[]): string => list.map((part) => part['text'] ?? '').join('');
      expect(text(listAt(sent, 'contents.1.parts'))).toBe(text(parts));
    },
  );

  test.each(['whole', 'stream'] as const)(
    'checklist 25: the last block is the text, even if a signature comes after it (%s)',
    async (mode) => {
      const drawn = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };
      door.answers(geminiBoth([{ text: 'Look:', thoughtSignature: 'dGV4dA==' }, drawn])[mode]);
      const types =
        mode === 'whole'
          ? listAt((await door.whole('messages', GEMINI_3)).json, 'content').map(({ type }) => type)
          : (await door.stream('messages', GEMINI_3)).data.flatMap(
              (event) => at(event, 'content_block.type') ?? [],
            );
      expect(types).toEqual(['text']);
    },
  );
});

describe('checklist 25: a router gets back what Gemini has signed of a text', () => {
  const signed = {
    type: 'reasoning.encrypted',
    data: 'dGV4dA==',
    format: 'google-gemini-v1',
    index: 0,
  };
  const said = {
    whole: json(completion({ content: 'Yes.', reasoning_details: [signed] }, 'stop')),
    // As recorded: the signature comes after the text.
    stream: chatStream(
      chunk({ role: 'assistant', content: 'Yes.' }),
      chunk({ content: '', reasoning_details: [signed] }),
      chunk({}, 'stop'),
    ),
  };
  const include = ['reasoning.encrypted_content'];
  test.each(['whole', 'stream'] as const)('checklist 25: from a caller of responses, %s', async (mode) => {
    const sent = await goOn(door, 'responses', GEMINI_ROUTED, said[mode], mode, [], { include });
    expect(listAt(sent, 'messages')).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: 'Yes.', reasoning_details: [signed] },
      { role: 'user' },
    ]);
  });
});

test.each(ways)(
  'checklist 26: parallel calls are sent back in order, signed and unsigned ($from, $mode)',
  async ({ from, mode }) => {
    const other = { functionCall: { name: 'get_time', args: { city: 'Oslo' } } };
    const parts = [weather('Zmlyc3Q='), other, { functionCall: { name: 'get_time', args: { city: 'Rom' } } }];
    const sent = await goOn(door, from, GEMINI_3, geminiBoth(parts)[mode], mode, ['sunny', 'noon', 'two']);
    expect(listAt(sent, 'contents.1.parts')).toEqual(parts);
  },
);

describe('checklist 27: calls whose signature is unknown', () => {
  const turn = {
    role: 'assistant',
    content: null,
    tool_calls: ['call_1', 'call_2'].map((id) => ({
      id,
      type: 'function',
      function: { name: 'get_weather', arguments: '{"city":"Rom"}' },
    })),
  };
  test.each([
    [GEMINI_3, 'skip_thought_signature_validator'],
    [GEMINI, undefined],
  ])('checklist 27: to %s the first of a step has %j', async (model, signature) => {
    door.answers(json(gemini([{ text: 'Ok.' }], 'STOP')));
    await door.whole('chat-completions', model, nextRequest('chat-completions', [turn], ['a', 'b']));
    expect(listAt(door.sent(), 'contents.1.parts')).toEqual([weather(signature), weather()]);
  });
});

describe('checklist 28: a part with several fields loses none', () => {
  const png = { mimeType: 'image/png', data: 'iVBORw0KGgo=' };
  test('checklist 28: in a request', () => {
    const contents = [
      { role: 'user', parts: [{ text: 'What is it?', inlineData: png }] },
      { role: 'model', parts: [{ inlineData: png, thoughtSignature: 'c2ln' }] },
      { role: 'user', parts: [{ text: 'And?' }] },
    ];
    const google = formats['generate-content'];
    const again = google.outbound.renderRequest(
      google.inbound.parseRequest({ contents }, unreported),
      PERMISSIVE,
      unreported,
    );
    expect(again['contents']).toEqual([
      { role: 'user', parts: [{ text: 'What is it?' }, { inlineData: png }] },
      contents[1],
      contents[2],
    ]);
  });

  const drawn = { inlineData: png, thoughtSignature: 'c2ln' };
  const spoken = { inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' }, thoughtSignature: 'c2ln' };

  test.each(ways)(
    'checklist 28: in an answer, besides the fields that the format has ($from, $mode)',
    async ({ from, mode }) => {
      door.answers(geminiBoth([{ text: 'Listen:' }, spoken])[mode]);
      const paths = {
        'chat-completions': ['choices.0.message.', 'choices.0.delta.'],
        responses: ['', 'response.'],
        messages: ['', 'delta.'],
      } as const;
      const [whole, streamed] = paths[from];
      const told =
        mode === 'whole'
          ? [at((await door.whole(from, GEMINI_3)).json, `${whole}provider_specific_fields`)]
          : (await door.stream(from, GEMINI_3)).data.flatMap(
              (event) => at(event, `${streamed}provider_specific_fields`) ?? [],
            );
      expect(told).toEqual([{ 'generate-content': [spoken] }]);
    },
  );

  test.each(['whole', 'stream'] as const)(
    'checklist 28: and a chat client sends it back, %s',
    async (mode) => {
      const sent = await goOn(
        door,
        'chat-completions',
        GEMINI_3,
        geminiBoth([{ text: 'Look:' }, drawn])[mode],
        mode,
        [],
      );
      expect(listAt(sent, 'contents.1.parts')).toContainEqual(drawn);
    },
  );

  test('checklist 28: a text and a call in one part', async () => {
    door.answers(json(gemini([{ text: 'I look.', ...weather('c2ln') }], 'STOP')));
    const { json: body } = await door.whole('messages', GEMINI_3);
    expect(listAt(body, 'content').map(({ type }) => type)).toEqual(['text', 'thinking', 'tool_use']);
  });
});

describe('checklist 29: a client that drops unknown fields', () => {
  test('checklist 29: can continue the dialogue, with ids no longer than services accept', async () => {
    door.answers(json(gemini([weather('c2lnbmF0dXJl'.repeat(200))], 'STOP')));
    const { json: body } = await door.whole('chat-completions', GEMINI_3);
    const [message] = turnOf('chat-completions', body);
    const id = String(at(message, 'tool_calls.0.id'));
    expect(id.length).toBeLessThanOrEqual(40);
    const kept = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: at(message, 'tool_calls.0.function') ?? null }],
    };
    await door.whole('chat-completions', GEMINI_3, nextRequest('chat-completions', [kept], ['sunny']));
    expect(at(door.sent(), 'contents.1.parts.0.thoughtSignature')).toBe('skip_thought_signature_validator');
  });
});
