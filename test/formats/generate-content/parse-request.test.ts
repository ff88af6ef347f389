import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Prompt } from '../../../src/conversation/prompt.ts';
import { type Note, reportInto } from '../../../src/formats/format.ts';
import { parseRequest } from '../../../src/formats/generate-content/inbound/parse-request.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import type { Json, JsonObject } from '../../../src/lib/json.ts';
import { gatewayErrorOf } from '../../support/gateway-error.ts';
import { PLAIN, parsed, rendered, request } from './fixtures.ts';

const ask = (parts: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  contents: [{ role: 'user', parts }],
  ...more,
});

const refusal = (body: JsonObject) => gatewayErrorOf(() => parsed(body));

describe('turns', () => {
  test('a conversation', () => {
    const prompt = parsed(request('conversation'));
    expect(prompt.turns.map((turn) => turn.role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(prompt.turns[0]?.parts).toEqual([
      { kind: 'text', text: 'You guide visitors through the town.' },
      { kind: 'text', text: 'Answer in one sentence.' },
    ]);
    expect(prompt).toMatchObject({
      temperature: 0.4,
      topP: 0.9,
      topK: 32,
      maxTokens: 256,
      stop: ['END', '\n\n'],
    });
    expect(prompt.formatSpecific?.fields['safetySettings']).toHaveLength(2);
  });

  test('shorthands: a part without a list, no role, role function, a bare instruction, numbers as text, null for absent', () => {
    const prompt = parsed(request('shorthand'));
    expect(prompt.turns.map((turn) => turn.role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(prompt.turns[0]?.parts).toEqual([{ kind: 'text', text: 'Be kind.' }]);
    expect(prompt.turns[1]?.parts).toEqual([{ kind: 'text', text: 'Hello' }]);
    expect(prompt.maxTokens).toBe(64);
    expect(prompt.stop).toEqual(['STOP']);
    expect(prompt).not.toHaveProperty('temperature');
  });

  test('both spellings of a field mean the same, and data stays as it is', () => {
    const prompt = parsed(request('snake-case'));
    expect(prompt.turns[0]).toEqual({ role: 'system', parts: [{ kind: 'text', text: 'Be brief.' }] });
    expect(prompt.turns[1]?.parts[1]).toMatchObject({
      kind: 'media',
      media: 'image',
      mediaType: 'image/png',
    });
    expect(prompt.turns[2]?.parts[0]).toMatchObject({
      kind: 'tool-call',
      arguments: '{"snake_key":"stays"}',
      signature: { origin: 'google' },
    });
    expect(prompt.tools?.[0]).toMatchObject({
      parameters: { properties: { snake_key: { type: 'string' } } },
    });
    expect(prompt.toolChoice).toEqual({ mode: 'required', allowed: ['describe'] });
    expect(prompt.thinking).toEqual({ adaptive: true, visible: true });
    expect(prompt.maxTokens).toBe(100);
    expect(prompt).not.toHaveProperty('extra');
  });

  test('the model may be in the body, with its resource prefix', () => {
    expect(parsed(ask([{ text: 'x' }], { model: 'models/gemini-2.5-pro' })).model).toBe('gemini-2.5-pro');
  });
});

describe('parts', () => {
  const parts = (list: readonly JsonObject[]) => parsed(ask(list)).turns[0]?.parts;
  const answered = (...contents: JsonObject[][]) =>
    parsed({ contents: contents.map((each) => ({ role: 'model', parts: each })) }).turns.map(
      (turn) => turn.parts,
    );

  test('the kind of a medium follows its type and its place', () => {
    const found = parsed(request('media')).turns[0]?.parts.slice(1);
    expect(found?.map((part) => part.kind === 'media' && [part.media, part.source.kind])).toEqual([
      ['image', 'base64'],
      ['document', 'base64'],
      ['audio', 'base64'],
      ['video', 'url'],
      ['document', 'file'],
      ['image', 'file'],
      ['image', 'url'],
    ]);
    const named = { inlineData: { mimeType: 'application/pdf', data: 'AA==', displayName: 'menu.pdf' } };
    expect(parts([named])).toMatchObject([{ name: 'menu.pdf' }]);
    expect(found?.[3]?.formatSpecific).toEqual({
      format: 'generate-content',
      fields: { videoMetadata: { startOffset: '10s', endOffset: '25s' } },
    });
  });

  test('a thought has its signature; a signature may stand alone in an empty text', () => {
    expect(parsed(request('thinking-budget')).turns[1]?.parts).toMatchObject([
      { kind: 'thinking', text: 'Counting with the sieve gives 25.', signature: { origin: 'google' } },
      { kind: 'text', text: 'There are 25.' },
      { kind: 'text', text: '', signature: { origin: 'google' } },
    ]);
  });

  test("a sealed signature is another vendor's again, and so is reasoning that only it can read", () => {
    expect(
      parts([
        { text: 'hm', thought: true, thoughtSignature: 'anthropic#EqQB' },
        { text: '', thought: true, thoughtSignature: 'anthropic#r.EmwK' },
      ]),
    ).toEqual([
      { kind: 'thinking', text: 'hm', signature: { origin: 'anthropic', value: 'EqQB' } },
      { kind: 'thinking', text: '', redacted: { origin: 'anthropic', value: 'EmwK' } },
    ]);
  });

  const sealed = (text: string): string => Buffer.from(text).toString('base64');

  test('a signature that is sealed as base64 is read in either alphabet, padded or not', () => {
    for (const [value, text] of [
      ['EqQB+/==', 'anthropic#EqQB+/=='],
      ['~~~?', 'anthropic#~~~?'],
    ] as const) {
      const standard = sealed(text);
      // Python's client writes the other alphabet.
      const other = standard.replaceAll('+', '-').replaceAll('/', '_');
      for (const thoughtSignature of [standard, other, standard.replaceAll('=', '')]) {
        expect(parts([{ text: 'hm', thought: true, thoughtSignature }])).toEqual([
          { kind: 'thinking', text: 'hm', signature: { origin: 'anthropic', value } },
        ]);
      }
    }
    const thoughtSignature = sealed('anthropic#r.EmwK');
    expect(parts([{ text: '', thought: true, thoughtSignature }])).toEqual([
      { kind: 'thinking', text: '', redacted: { origin: 'anthropic', value: 'EmwK' } },
    ]);
  });

  describe('thoughts in the signature of the part after them', () => {
    const anthropic = (value: string) => ({ origin: 'anthropic', value });
    const carried = (...thoughts: JsonObject[]): string => sealed(`thoughts#${JSON.stringify({ thoughts })}`);
    const signed = carried({ signature: 'anthropic#Eq' }, { redacted: 'anthropic#Em' });
    const call = { functionCall: { name: 'f', args: {} } };

    test('the thought before the part has its signature back, however the chunks come back', () => {
      const chunks = [
        { text: 'a', thought: true },
        { text: 'b', thought: true },
        { text: 'Hel', thoughtSignature: signed },
        { text: 'lo' },
        call,
        { text: '' },
      ];
      const whole = [
        { kind: 'thinking', text: 'ab', signature: anthropic('Eq') },
        { kind: 'thinking', text: '', redacted: anthropic('Em') },
        { kind: 'text', text: 'Hello' },
        { kind: 'tool-call', name: 'f' },
      ];
      // As one content, as JavaScript's and Python's chats keep them, and as Go's does.
      for (const contents of [
        [chunks],
        chunks.map((chunk) => [chunk]),
        chunks.filter((chunk) => !('text' in chunk) || chunk.text !== '').map((chunk) => [chunk]),
      ]) {
        const turns = answered(...contents);
        expect(turns).toMatchObject([whole]);
        expect(turns[0]).toHaveLength(whole.length);
        expect(turns[0]?.[2]).not.toHaveProperty('signature');
      }
    });

    test('a client that drops thoughts still sends back what is in the signature', () => {
      expect(answered([{ ...call, thoughtSignature: signed }])[0]).toMatchObject([
        { kind: 'thinking', text: '', signature: anthropic('Eq') },
        { kind: 'thinking', text: '', redacted: anthropic('Em') },
        { kind: 'tool-call' },
      ]);
    });

    test('they come back behind an empty chunk, and in a content with a field that nobody knows', () => {
      const chunks = [{ text: '' }, { ...call, thoughtSignature: carried({ text: 'hidden' }) }];
      const parts = [
        { kind: 'thinking', text: 'hidden' },
        { kind: 'tool-call', name: 'f' },
      ];
      expect(answered(chunks)).toMatchObject([parts]);
      const contents = [
        { role: 'user', parts: [{ text: 'x' }] },
        { role: 'model', parts: chunks, x: 1 },
      ];
      expect(parsed({ contents }).turns[1]).toMatchObject({
        role: 'assistant',
        unknownFields: { x: 1 },
        parts,
      });
    });

    test('thoughts that follow each other stay apart', () => {
      const contents = [
        { text: 'a', thought: true },
        { text: 'b', thought: true, thoughtSignature: carried({ signature: 'anthropic#1' }) },
        { text: 'c', thoughtSignature: carried({ signature: 'anthropic#2' }, { text: 'hidden' }) },
      ];
      expect(answered(contents)[0]).toEqual([
        { kind: 'thinking', text: 'a', signature: anthropic('1') },
        { kind: 'thinking', text: 'b', signature: anthropic('2') },
        { kind: 'thinking', text: 'hidden' },
        { kind: 'text', text: 'c' },
      ]);
    });

    // Google's agent kit copies the signature of the first call to the calls beside it.
    test('a copied signature counts once', () => {
      const calls = [call, call].map((one) => ({ ...one, thoughtSignature: signed }));
      expect(answered(calls)[0]?.map(({ kind }) => kind)).toEqual([
        'thinking',
        'thinking',
        'tool-call',
        'tool-call',
      ]);
    });

    test('they may stand in an empty text at the end, and are nothing in a part of the user', () => {
      expect(answered([{ text: 'a' }, { text: '', thoughtSignature: signed }])[0]).toMatchObject([
        { kind: 'text', text: 'a' },
        { kind: 'thinking', signature: anthropic('Eq') },
        { kind: 'thinking', redacted: anthropic('Em') },
      ]);
      expect(
        parsed({ contents: [{ role: 'user', parts: [{ text: 'a', thoughtSignature: signed }] }] }).turns,
      ).toEqual([{ role: 'user', parts: [{ kind: 'text', text: 'a' }] }]);
    });

    test.each([
      'thoughts#{',
      'thoughts#null',
      'thoughts#{"thoughts":7}',
      'thoughts#{"thoughts":[1,{"a":2}]}',
    ])('a broken one says nothing: %s', (text) => {
      expect(answered([{ text: 'a', thoughtSignature: sealed(text) }])[0]?.at(-1)).toEqual({
        kind: 'text',
        text: 'a',
      });
    });
  });

  // Go leaves out an empty text: `{"text":""}` of a stream comes back as `{}`.
  test('a part with nothing in it is an empty text in an answer, and an error elsewhere', () => {
    expect(answered([{ text: 'a' }, {}])).toEqual([[{ kind: 'text', text: 'a' }]]);
    expect(answered([{ text: 'a' }], [{}])).toEqual([[{ kind: 'text', text: 'a' }]]);
    expect(() => parsed({ contents: [{ role: 'user', parts: [{}] }] })).toThrow(
      /required oneof field 'data'/,
    );
  });

  test('a signature in an empty thought, as in streams, belongs to the thought before it', () => {
    const bare = { text: '', thought: true, thoughtSignature: 'S' };
    const signature = { origin: 'google', value: 'S' };
    expect(answered([{ text: 'hm', thought: true }, bare])).toEqual([
      [{ kind: 'thinking', text: 'hm', signature }],
    ]);
    // A thought with its own signature keeps it.
    expect(answered([{ text: 'hm', thought: true, thoughtSignature: 'R' }, bare])[0]).toMatchObject([
      { text: 'hm', signature: { value: 'R' } },
      { text: '', signature },
    ]);
  });

  test('an answer that comes back in its chunks is one turn, with one part for its thought and one for its text', () => {
    const thought = (text: string, thoughtSignature?: string): JsonObject => ({
      text,
      thought: true,
      ...(thoughtSignature !== undefined && { thoughtSignature }),
    });
    const signature = { origin: 'anthropic', value: 'Eq' };
    const call = { functionCall: { name: 'f', args: {} } };
    const chunks = [thought('a'), thought('b'), { text: '' }, thought('c'), thought('', 'anthropic#Eq')];
    const told = [{ text: 'Hel' }, { text: 'lo' }, call, { text: '' }];
    const whole = [
      { kind: 'thinking', text: 'abc', signature },
      { kind: 'text', text: 'Hello' },
      { kind: 'tool-call', name: 'f' },
    ];
    expect(answered([...chunks, ...told])).toMatchObject([whole]);
    // The chats of Google's SDKs keep them like this.
    const alone = answered(...[...chunks, ...told].map((chunk) => [chunk]));
    expect(alone).toHaveLength(1);
    expect(alone[0]).toHaveLength(whole.length);
    expect(alone).toMatchObject([whole]);
  });

  test('a part that is signed, is not text, or has further fields does not join its neighbours', () => {
    const signed = { text: 'a', thoughtSignature: 'S' };
    expect(answered([signed, { text: 'b' }])[0]).toHaveLength(2);
    expect(answered([{ text: 'b' }, signed])[0]).toHaveLength(2);
    expect(answered([{ text: 'a' }, { text: 'b', partMetadata: { x: 1 } }])[0]).toHaveLength(2);
    expect(answered([{ text: 'a' }, { text: 'b', thought: true }])[0]).toHaveLength(2);
    const redacted = { text: '', thought: true, thoughtSignature: 'anthropic#r.Em' };
    expect(answered([{ text: 'a', thought: true }, redacted, redacted])[0]).toHaveLength(3);
    // The user's parts stay as they are.
    expect(parts([{ text: 'a' }, { text: 'b' }])).toHaveLength(2);
    expect(answered([{ text: '' }])).toEqual([[{ kind: 'text', text: '' }]]);
  });

  test('a part that holds several things loses none of them', () => {
    expect(
      parts([{ text: 'see', inlineData: { mimeType: 'image/png', data: 'AA==' }, thoughtSignature: 'S' }]),
    ).toEqual([
      { kind: 'text', text: 'see' },
      {
        kind: 'media',
        media: 'image',
        mediaType: 'image/png',
        source: { kind: 'base64', data: 'AA==' },
        signature: { origin: 'google', value: 'S' },
      },
    ]);
  });

  test('data that only Google can read is carried whole', () => {
    const turn = parsed(request('google-tools')).turns[1];
    expect(turn?.parts.map((part) => part.kind)).toEqual(['opaque', 'opaque', 'text']);
    expect(parts([{ newThing: { a: 1 } }])).toEqual([
      { kind: 'opaque', format: 'generate-content', value: { newThing: { a: 1 } } },
    ]);
  });
});

describe('calls and their results', () => {
  test('without ids they get the same ids each time, and match by name, oldest first', () => {
    const prompt = parsed(request('calls-without-ids'));
    const ids = (turn: number) =>
      prompt.turns[turn]?.parts.map((part) => ('id' in part ? part.id : undefined));
    expect(new Set(ids(1)).size).toBe(3);
    expect(ids(2)).toEqual(ids(1));
    expect(parsed(request('calls-without-ids'))).toEqual(prompt);
  });

  test('a response has its medium with or without a list', () => {
    const medium = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
    const contentOf = (parts: Json) => {
      const { turns } = parsed(ask([{ functionResponse: { name: 'f', response: { result: 1 }, parts } }]));
      const part = turns[0]?.parts[0];
      return part?.kind === 'tool-result' ? part.content : undefined;
    };
    expect(contentOf([medium])?.map(({ kind }) => kind)).toEqual(['text', 'media']);
    expect(contentOf(medium)).toEqual(contentOf([medium]));
  });

  describe('a response in an envelope with its own name', () => {
    const result = (response: JsonObject) => {
      const { turns } = parsed(ask([{ functionResponse: { name: 'f', response } }]));
      const part = turns[0]?.parts[0];
      if (part?.kind !== 'tool-result') throw new Error('no result');
      return { content: part.content, isError: part.isError };
    };
    const text = (value: string) => [{ kind: 'text', text: value }];

    test.each<[JsonObject, string, boolean | undefined]>([
      [{ name: 'f', content: 'sunny' }, 'sunny', undefined],
      [{ name: 'f', content: '' }, '', undefined],
      [{ name: 'f', content: { a: 1 } }, '{"a":1}', undefined],
      [{ name: 'f', error: 'boom' }, 'boom', true],
      [{ name: 'f', error: { code: 5 } }, '{"code":5}', true],
    ])('loses it: %j', (response, content, isError) => {
      expect(result(response)).toEqual({ content: text(content), isError });
    });

    test.each<[JsonObject]>([
      [{ name: 'g', content: 'sunny' }],
      [{ name: 'f', content: 'sunny', more: 1 }],
      [{ name: 'f', value: 'sunny' }],
      [{ name: 'f' }],
      [{ content: 'sunny' }],
    ])('is data of the function otherwise: %j', (response) => {
      expect(result(response)).toEqual({ content: text(JSON.stringify(response)), isError: undefined });
    });
  });

  test('a response without an id is of the latest step, not of a call that the user interrupted', () => {
    const step = (said: JsonObject) => [
      { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
      { role: 'user', parts: [said] },
    ];
    const done = { functionResponse: { name: 'f', response: { result: 1 } } };
    const { turns } = parsed({
      contents: [{ role: 'user', parts: [{ text: 'x' }] }, ...step({ text: 'Stop.' }), ...step(done)],
    });
    const [, first, , second, result] = turns.map(({ parts }) =>
      parts[0] && 'id' in parts[0] ? parts[0].id : '',
    );
    expect(result).toBe(second);
    expect(result).not.toBe(first);
  });

  describe('a response with an id', () => {
    const ids = (calls: readonly JsonObject[], responses: readonly JsonObject[]) => {
      const { turns } = parsed({
        contents: [
          { role: 'user', parts: [{ text: 'x' }] },
          {
            role: 'model',
            parts: calls.map((functionCall) => ({ functionCall: { args: {}, ...functionCall } })),
          },
          {
            role: 'user',
            parts: responses.map((given) => ({ functionResponse: { response: { result: 1 }, ...given } })),
          },
        ],
      });
      const idsOf = (turn: number) => turns[turn]?.parts.map((part) => ('id' in part ? part.id : '')) ?? [];
      return { calls: idsOf(1), results: idsOf(2) };
    };

    test('answers the call of its name that has no id', () => {
      const one = ids([{ name: 'f' }], [{ name: 'f', id: 'abc' }]);
      expect(one.results).toEqual(one.calls);
      const { calls, results } = ids(
        [{ name: 'f' }, { name: 'g' }, { name: 'f' }],
        [{ name: 'g', id: 'x' }, { name: 'f', id: 'y' }, { name: 'f' }],
      );
      expect(results).toEqual([calls[1], calls[0], calls[2]]);
    });

    test('answers first the call that has its id, then one without an id, then any of its name', () => {
      const { calls, results } = ids(
        [{ name: 'f', id: 'a' }, { name: 'f' }],
        [
          { name: 'f', id: 'z' },
          { name: 'f', id: 'a' },
        ],
      );
      expect(results).toEqual([calls[1], 'a']);
      expect(ids([{ name: 'f', id: 'a' }], [{ name: 'f', id: 'z' }]).results).toEqual(['a']);
    });

    test('keeps it where there is no call, and for Google in any case', () => {
      expect(ids([{ name: 'f', id: 'a' }], [{ name: 'g', id: 'z' }]).results).toEqual(['z']);
      const body = {
        contents: [
          { role: 'user', parts: [{ text: 'x' }] },
          { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
          { role: 'user', parts: [{ functionResponse: { name: 'f', id: 'abc', response: { result: 1 } } }] },
        ],
      };
      expect(rendered(parsed(body), PLAIN).body['contents']).toEqual(body.contents);
    });
  });

  test('an id of the caller is kept on both', () => {
    const { turns } = parsed(request('parallel-calls-signed'));
    expect(turns[1]?.parts[1]).toMatchObject({ id: 'k3v9x1aa', signature: { origin: 'google' } });
    expect(turns[1]?.parts[2]).not.toHaveProperty('signature');
    expect(turns[2]?.parts.map((part) => 'id' in part && part.id)).toEqual(['k3v9x1aa', 'k3v9x1ab']);
  });

  test("a result is the text of its object, or of `output` and `error` by Google's convention", () => {
    const results = parsed(request('calls-without-ids')).turns[2]?.parts;
    expect(results).toMatchObject([
      { kind: 'tool-result', name: 'add', content: [{ text: '3' }] },
      { content: [{ text: 'the adder is on fire' }], isError: true },
      { content: [{ text: '{"date":"2026-03-01"}' }] },
    ]);
  });

  test('a result may hold an image', () => {
    const [result] = parsed(request('tool-result-media')).turns[2]?.parts ?? [];
    expect(result).toMatchObject({
      content: [
        { kind: 'text', text: 'one picture' },
        { kind: 'media', media: 'image' },
      ],
    });
  });
});

describe('settings', () => {
  test('several answers, log probabilities, and fields that only Google has', () => {
    expect(parsed(request('sampling-and-logprobs'))).toMatchObject({
      choices: 3,
      seed: 7,
      presencePenalty: 0.5,
      frequencyPenalty: -0.5,
      logprobs: true,
      topLogprobs: 4,
      temperature: 0,
      serviceTier: 'flex',
      cachedContent: 'cachedContents/4f9t0j2m',
      formatSpecific: {
        format: 'generate-content',
        fields: {
          labels: { team: 'paint' },
          generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_LOW' },
        },
      },
    });
  });

  test.each([
    [{ thinkingBudget: 0 }, { budget: 0, visible: false }],
    [{ thinkingBudget: -1 }, { adaptive: true, visible: false }],
    [
      { thinkingBudget: 1024, includeThoughts: true },
      { budget: 1024, visible: true },
    ],
    [{ thinkingLevel: 'low' }, { effort: 'low', visible: false }],
    // Google's default is that the model decides how much it thinks.
    [{ includeThoughts: true }, { adaptive: true, visible: true }],
    [{ includeThoughts: false }, undefined],
    [{ thinkingLevel: 'MINIMAL' }, { effort: 'minimal', visible: false }],
    [{}, undefined],
  ])('thinking %j', (thinkingConfig, expected) => {
    expect(parsed(ask([{ text: 'x' }], { generationConfig: { thinkingConfig } })).thinking).toEqual(expected);
  });

  test.each([
    [{ mode: 'AUTO' }, { mode: 'auto' }],
    [{ mode: 'NONE' }, { mode: 'none' }],
    [{ mode: 'ANY' }, { mode: 'required' }],
    [
      { mode: 'ANY', allowedFunctionNames: ['f'] },
      { mode: 'required', allowed: ['f'] },
    ],
    [
      { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
      { mode: 'auto', allowed: ['f'] },
    ],
    [{ allowedFunctionNames: ['f'] }, { mode: 'auto', allowed: ['f'] }],
    [{}, undefined],
  ])('choice of tools %j', (functionCallingConfig, expected) => {
    expect(parsed(ask([{ text: 'x' }], { toolConfig: { functionCallingConfig } })).toolChoice).toEqual(
      expected,
    );
  });

  test('a choice among functions does not affect a search beside them', () => {
    const tools = [{ functionDeclarations: [{ name: 'f' }] }, { googleSearch: {} }];
    const chosen = (mode: string): Prompt['toolChoice'] => {
      const functionCallingConfig = { mode, allowedFunctionNames: ['f'] };
      return parsed(ask([{ text: 'Go.' }], { tools, toolConfig: { functionCallingConfig } })).toolChoice;
    };
    expect(chosen('VALIDATED')).toEqual({ mode: 'auto', allowed: ['f'], search: true });
    expect(chosen('ANY')).toEqual({ mode: 'required', allowed: ['f'] });
  });

  test('schemas of the OpenAPI subset become JSON Schema, and VALIDATED makes functions strict', () => {
    const prompt = parsed(request('openapi-schemas'));
    expect(prompt.tools?.[0]).toMatchObject({
      strict: true,
      parameters: {
        type: 'object',
        properties: {
          guests: { type: 'integer', minimum: 1, maximum: 12 },
          name: { type: ['string', 'null'], maxLength: 40 },
          days: { type: 'array', items: { type: 'string', enum: ['MON', 'TUE'] }, minItems: 1 },
        },
        required: ['guests'],
      },
    });
    expect(prompt.tools?.[0]).not.toHaveProperty('parameters.propertyOrdering');
    expect(prompt.output).toEqual({
      kind: 'json-schema',
      schema: {
        type: 'object',
        properties: {
          ok: { type: 'boolean' },
          note: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
        },
        required: ['ok'],
      },
    });
  });

  test.each<[JsonObject, JsonObject]>([
    [
      { type: 'STRING', enum: ['a'], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [{ anyOf: [{ type: 'STRING' }], nullable: true }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    [
      { type: 'STRING', nullable: false, maxLength: '9' },
      { type: 'string', maxLength: 9 },
    ],
    [
      {
        type: 'OBJECT',
        properties: { nullable: { type: 'STRING' } },
        additional_properties: { type: 'INTEGER' },
        property_ordering: ['nullable'],
      },
      {
        type: 'object',
        properties: { nullable: { type: 'string' } },
        additionalProperties: { type: 'integer' },
      },
    ],
    [
      {
        $defs: { a: { type: 'STRING' } },
        any_of: [{ $ref: '#/$defs/a' }, { type: 'ARRAY', min_items: '1' }],
      },
      { $defs: { a: { type: 'string' } }, anyOf: [{ $ref: '#/$defs/a' }, { type: 'array', minItems: 1 }] },
    ],
  ])('schema %j', (responseSchema, schema) => {
    const asked = { generationConfig: { responseMimeType: 'application/json', responseSchema } };
    expect(parsed(ask([{ text: 'x' }], asked)).output).toEqual({ kind: 'json-schema', schema });
  });

  describe('the order of properties', () => {
    /** Types in capital letters are those of the OpenAPI subset; JSON Schema takes any text here. */
    const schema: JsonObject = {
      type: 'OBJECT',
      properties: {
        born: { type: 'INTEGER' },
        propertyOrdering: { type: 'ARRAY', items: { type: 'STRING' } },
        address: {
          type: 'OBJECT',
          properties: { city: { type: 'STRING' }, street: { type: 'STRING' } },
          propertyOrdering: ['street', 'city'],
        },
        name: { type: 'STRING' },
      },
      propertyOrdering: ['name', 'toString', 'address', 'name', 7],
    };
    const ordered =
      '"properties":{"name":{"type":"string"},"address":{"type":"object",' +
      '"properties":{"street":{"type":"string"},"city":{"type":"string"}}},' +
      '"born":{"type":"integer"},"propertyOrdering":{"type":"array","items":{"type":"string"}}}}';

    test.each(['responseSchema', 'responseJsonSchema'])('in %s', (field) => {
      const generationConfig = { responseMimeType: 'application/json', [field]: schema };
      const { output } = parsed(ask([{ text: 'x' }], { generationConfig }));
      expect(JSON.stringify(output).toLowerCase()).toContain(ordered.toLowerCase());
    });

    test.each(['parameters', 'parametersJsonSchema'])('in %s', (field) => {
      const tools = [{ functionDeclarations: [{ name: 'find', [field]: schema }] }];
      expect(JSON.stringify(parsed(ask([{ text: 'x' }], { tools })).tools).toLowerCase()).toContain(
        ordered.toLowerCase(),
      );
    });
  });

  test.each<[JsonObject, Prompt['output']]>([
    [{ responseMimeType: 'application/json' }, { kind: 'json' }],
    [{ responseMimeType: 'text/plain' }, { kind: 'text' }],
    [{}, undefined],
  ])('the form of the answer %j', (generationConfig, output) => {
    expect(parsed(ask([{ text: 'x' }], { generationConfig })).output).toEqual(output);
  });

  describe('the form of the answer in responseFormat', () => {
    const schema = { type: 'object', properties: { b: { type: 'string' } }, propertyOrdering: ['b'] };
    const wanted = { type: 'object', properties: { b: { type: 'string' } } };

    test.each<[string, Json, NonNullable<Prompt['output']>]>([
      [
        'a schema',
        [{ text: { mimeType: 'application/json', schema } }],
        { kind: 'json-schema', schema: wanted },
      ],
      ['without a list', { text: { mimeType: 'application/json' } }, { kind: 'json' }],
      ['the name of an enum', [{ text: { mimeType: 'APPLICATION_JSON' } }], { kind: 'json' }],
      ['in snake_case', [{ text: { mime_type: 'application/json' } }], { kind: 'json' }],
      ['a schema without a type', [{ text: { schema } }], { kind: 'json-schema', schema: wanted }],
      ['plain text', [{ text: { mimeType: 'text/plain' } }], { kind: 'text' }],
    ])('%s', (_, responseFormat, output) => {
      const prompt = parsed(ask([{ text: 'x' }], { generationConfig: { responseFormat } }));
      expect(prompt.output).toEqual(output);
      expect(prompt.formatSpecific).toEqual({ format: 'generate-content', fields: {} });
      expect(parsed(rendered(prompt).body).output).toEqual(output.kind === 'text' ? undefined : output);
    });

    test('of sound, and of a text that the gateway does not know, is Google’s alone', () => {
      const audio = { audio: { mimeType: 'audio/wav' } };
      const other = { text: { mimeType: 'text/csv' } };
      const responseFormat = [{ text: { mimeType: 'application/json' }, ...audio }, other];
      const prompt = parsed(ask([{ text: 'x' }], { generationConfig: { responseFormat } }));
      expect(prompt.output).toEqual({ kind: 'json' });
      const kept = { generationConfig: { responseFormat: [audio, other] } };
      expect(prompt.formatSpecific?.fields).toEqual(kept);
    });
  });

  test('a search is carried over; Google’s other tools stay in this format', () => {
    expect(parsed(request('google-tools')).tools).toMatchObject([
      { kind: 'hosted', value: { codeExecution: {} } },
      { kind: 'hosted', webSearch: true },
      { kind: 'hosted', value: { urlContext: {} } },
    ]);
  });

  test('unknown fields are carried, each in its place', () => {
    const prompt = parsed(request('unknown-fields'));
    expect(prompt.unknownFields).toEqual({ colour: 'blue', generationConfig: { warmth: 11 } });
    expect(prompt.tools?.[0]).toMatchObject({ unknownFields: { weight: 3 } });
  });

  test('a type of answer that only Google has is reported', () => {
    const notes: Note[] = [];
    const body = ask([{ text: 'x' }], { generationConfig: { responseMimeType: 'application/yaml' } });
    const prompt = parseRequest(body, reportInto(notes));
    expect(prompt.formatSpecific?.fields).toEqual({
      generationConfig: { responseMimeType: 'application/yaml' },
    });
    expect(notes).toMatchObject([{ field: 'generationConfig.responseMimeType', outcome: 'dropped' }]);
  });

  test('a choice out of a list is an object with one member, whose value is the answer', () => {
    const notes: Note[] = [];
    const responseSchema = { type: 'STRING', format: 'enum', enum: ['yes', 'no'] };
    const generationConfig = { responseMimeType: 'text/x.enum', responseSchema };
    expect(parseRequest(ask([{ text: 'x' }], { generationConfig }), reportInto(notes))).toMatchObject({
      output: {
        kind: 'json-schema',
        schema: {
          type: 'object',
          properties: { choice: { type: 'string', enum: ['yes', 'no'] } },
          required: ['choice'],
          additionalProperties: false,
        },
        strict: true,
        unwrap: 'choice',
      },
    });
    expect(notes).toMatchObject([{ field: 'generationConfig.responseMimeType', outcome: 'approximated' }]);
  });
});

describe('requests that Google refuses too', () => {
  test.each<[string, JsonObject, string, RegExp]>([
    [
      'a choice out of no list',
      ask([{ text: 'x' }], { generationConfig: { responseMimeType: 'text/x.enum' } }),
      'generationConfig.responseSchema',
      /requires a schema with an enum/,
    ],
    ['no contents', {}, 'contents', /contents is not specified/],
    ['no parts', { contents: [{ role: 'user' }] }, 'contents[0].parts', /must not be empty/],
    [
      'an unknown role',
      { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] },
      'contents[0].role',
      /valid role: user, model/,
    ],
    ['an empty part', ask([{}]), 'contents[0].parts[0]', /required oneof field 'data'/],
    [
      'media without data',
      ask([{ inlineData: { mimeType: 'image/png' } }]),
      'contents[0].parts[0].inlineData.data',
      /a value is required/,
    ],
    [
      'a file without an address',
      ask([{ text: 'x' }, { fileData: { fileUri: '' } }]),
      'contents[0].parts[1].fileData.fileUri',
      /a value is required/,
    ],
    ['a part that is a number', { contents: [{ parts: [1] }] }, 'contents[0].parts[0]', /object/],
    [
      'a call without a name',
      ask([{ functionCall: { args: {} } }]),
      'contents[0].parts[0].functionCall.name',
      /empty/,
    ],
    [
      'a result without a name',
      ask([{ functionResponse: {} }]),
      'contents[0].parts[0].functionResponse.name',
      /empty/,
    ],
    [
      'a function without a name',
      ask([{ text: 'x' }], { tools: [{ functionDeclarations: [{}] }] }),
      'tools[0].functionDeclarations[0].name',
      /required/,
    ],
    [
      'a temperature in words',
      ask([{ text: 'x' }], { generationConfig: { temperature: 'hot' } }),
      'generationConfig.temperature',
      /number/,
    ],
    [
      'an unknown level',
      ask([{ text: 'x' }], { generationConfig: { thinkingConfig: { thinkingLevel: 'WILD' } } }),
      'generationConfig.thinkingConfig.thinkingLevel',
      /WILD/,
    ],
    [
      'an unknown mode',
      ask([{ text: 'x' }], { toolConfig: { functionCallingConfig: { mode: 'SOME' } } }),
      'toolConfig.functionCallingConfig.mode',
      /SOME/,
    ],
  ])('%s', (_, body, param, message) => {
    const error = refusal(body);
    expect([error.fault, error.status, error.param]).toEqual(['invalid-request', 400, param]);
    expect(error.message).toMatch(message);
  });
});

test('any input gives a prompt or a GatewayError, and changes no prototype', () => {
  const name = fc.constantFrom(
    ...[
      'contents',
      'role',
      'parts',
      'text',
      'thought',
      'thoughtSignature',
      'functionCall',
      'functionResponse',
      'name',
    ],
    ...[
      'args',
      'response',
      'id',
      'inlineData',
      'fileData',
      'mimeType',
      'fileUri',
      'tools',
      'functionDeclarations',
    ],
    ...[
      'parameters',
      'type',
      'properties',
      'anyOf',
      'items',
      'nullable',
      'enum',
      'toolConfig',
      'functionCallingConfig',
    ],
    ...[
      'mode',
      'generationConfig',
      'thinkingConfig',
      'responseSchema',
      'responseMimeType',
      '__proto__',
      'constructor',
    ],
  );
  const leaf = fc.oneof(
    fc.constantFrom('user', 'model', 'application/json', 'AUTO', ''),
    fc.jsonValue({ maxDepth: 1 }),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'medium' },
      leaf,
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(name, tie('tree'), { maxKeys: 4 }),
    ),
  }));
  const body = fc.dictionary(name, tree, { maxKeys: 8 });
  fc.assert(
    fc.property(body, (value) => {
      try {
        // Parsed, as a request is: `__proto__` is then a name like any other.
        parsed(JSON.parse(JSON.stringify(value)));
      } catch (error) {
        expect(error).toBeInstanceOf(GatewayError);
      }
      expect(Object.keys(Object.prototype)).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
