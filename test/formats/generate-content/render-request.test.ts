import { describe, expect, test } from 'vitest';
import type { Part, Prompt, Turn } from '../../../src/conversation/prompt.ts';
import type { ModelTraits } from '../../../src/formats/format.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { BUDGETS, LEVELS, PLAIN, parsed, rendered, request, requestNames } from './fixtures.ts';

const user = (...parts: Part[]): Turn => ({ role: 'user', parts });
const model = (...parts: Part[]): Turn => ({ role: 'assistant', parts });
const text = (words: string): Part => ({ kind: 'text', text: words });
const call = (id: string, name: string, more: Partial<Part & { kind: 'tool-call' }> = {}): Part => ({
  kind: 'tool-call',
  id,
  name,
  arguments: '{"a":1}',
  ...more,
});
const result = (id: string, words: string): Part => ({
  kind: 'tool-result',
  id,
  content: [{ kind: 'text', text: words }],
});

const contents = (turns: readonly Turn[], target: ModelTraits = LEVELS) =>
  rendered({ turns }, target).body['contents'];
const config = (prompt: Partial<Prompt>, target: ModelTraits = LEVELS) =>
  rendered({ turns: [user(text('x'))], ...prompt }, target).body['generationConfig'];

const NOT_AS_WRITTEN = ['openapi-schemas', 'snake-case', 'shorthand', 'numbers', 'choice'];
const BY_BUDGET = ['thinking-budget', 'calls-without-ids'];

describe('law: a request that is parsed and rendered again is the same', () => {
  test.each(requestNames.filter((name) => !NOT_AS_WRITTEN.includes(name)))('%s, word for word', (name) => {
    const target = BY_BUDGET.includes(name) ? BUDGETS : LEVELS;
    expect(rendered(parsed(request(name)), target).body).toEqual(request(name));
  });

  test.each(requestNames)('%s, in meaning', (name) => {
    const target = ['snake-case', ...BY_BUDGET].includes(name) ? BUDGETS : LEVELS;
    const prompt = parsed(request(name));
    const again = parsed(rendered(prompt, target).body);
    expect(name === 'shorthand' ? unsigned(again) : again).toEqual(prompt);
  });

  const unsigned = (prompt: Prompt): Prompt => ({
    ...prompt,
    turns: prompt.turns.map((turn) => ({
      ...turn,
      parts: turn.parts.map(({ signature: _, ...part }): Part => part),
    })),
  });

  test('ids that do not look like Gemini’s stay for a caller of this format', () => {
    const body = {
      contents: [
        { role: 'user', parts: [{ text: 'x' }] },
        { role: 'model', parts: [{ functionCall: { id: 'call_1', name: 'f', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { id: 'call_1', name: 'f', response: {} } }] },
      ],
    };
    expect(rendered(parsed(body), BUDGETS).body).toEqual(body);
  });
});

describe('turns', () => {
  test('system turns up to the first answer become the parts of one instruction, later ones the user’s', () => {
    const { body, notes } = rendered({
      turns: [
        { role: 'system', parts: [text('one')] },
        { role: 'system', parts: [text('two')], developer: true },
        user(text('x')),
        { role: 'system', parts: [text('three')] },
        model(text('y')),
        { role: 'system', parts: [text('four')] },
        user(text('z')),
      ],
    });
    expect(body['systemInstruction']).toEqual({
      parts: [{ text: 'one' }, { text: 'two' }, { text: 'three' }],
    });
    const parts = [text('<system>'), text('four'), text('</system>'), text('z')];
    expect(body['contents']).toEqual(contents([user(text('x')), model(text('y')), user(...parts)]));
    expect(notes).toEqual([
      {
        field: 'turns[].role',
        outcome: 'approximated',
        detail: 'a later system message is sent as a user message',
      },
    ]);
  });

  test('a system turn alone is sent as the user’s, and reported', () => {
    const { body, notes } = rendered({ turns: [{ role: 'system', parts: [text('Say hi')] }] });
    expect(body).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Say hi' }] }] });
    expect(notes).toMatchObject([{ outcome: 'approximated' }]);
  });

  test('empty texts are left out, adjacent turns of one role are one, and the user begins', () => {
    expect(contents([model(text('a')), model(text(''), text('b')), user(text(''))])).toEqual([
      { role: 'user', parts: [{ text: '.' }] },
      { role: 'model', parts: [{ text: 'a' }, { text: 'b' }] },
    ]);
  });
});

describe('calls and results', () => {
  test('a turn with only another vendor’s blocks is left out', () => {
    const block: Part = { kind: 'opaque', format: 'responses', value: { type: 'compaction' } };
    expect(contents([model(block), user(text('a')), model(block), user(text('b'))], LEVELS)).toEqual([
      { role: 'user', parts: [{ text: 'a' }, { text: 'b' }] },
    ]);
  });

  test('results are one content right after their calls, in their order and with their names; text is another content', () => {
    const found = contents(
      [
        user(text('x')),
        model(text('so'), call('call_a', 'first'), call('toolu_b', 'second')),
        user(result('toolu_b', '2')),
        user(text('and'), result('call_a', '{"n":1}')),
      ],
      BUDGETS,
    );
    expect(found).toEqual([
      { role: 'user', parts: [{ text: 'x' }] },
      {
        role: 'model',
        parts: [
          { text: 'so' },
          { functionCall: { name: 'first', args: { a: 1 } } },
          { functionCall: { name: 'second', args: { a: 1 } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'first', response: { n: 1 } } },
          { functionResponse: { name: 'second', response: { output: '2' } } },
        ],
      },
      { role: 'user', parts: [{ text: 'and' }] },
    ]);
  });

  test('an id from Gemini goes back on call and result, and any other on neither', () => {
    const found = JSON.stringify(
      contents([user(text('x')), model(call('k3v9x1aa', 'f')), user(result('k3v9x1aa', 'y'))]),
    );
    expect(found.match(/"id":"k3v9x1aa"/g)).toHaveLength(2);
    expect(
      JSON.stringify(contents([user(text('x')), model(call('call_7', 'f')), user(result('call_7', 'y'))])),
    ).not.toContain('"id"');
  });

  test('results may be an error, empty, or a list', () => {
    const [, , answers] = JSON.parse(
      JSON.stringify(
        contents([
          user(text('x')),
          model(call('call_1', 'f'), call('call_2', 'f'), call('call_3', 'f')),
          user(
            { kind: 'tool-result', id: 'call_1', isError: true, content: [{ kind: 'text', text: 'no' }] },
            { kind: 'tool-result', id: 'call_2', content: [] },
            result('call_3', '[1]'),
          ),
        ]),
      ),
    );
    expect(
      answers.parts.map((part: { functionResponse: JsonObject }) => part.functionResponse['response']),
    ).toEqual([{ error: 'no' }, { output: '' }, { output: '[1]' }]);
  });

  test('a result that is a schema stays a text, since Gemini looks up its references among the media beside it', () => {
    const schema = '{"anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"type":"string"}}}';
    const turns = [user(text('x')), model(call('call_1', 'f')), user(result('call_1', schema))];
    const { body } = rendered({ turns }, LEVELS);
    expect(body['contents']).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: { response: { output: schema } } }] },
    ]);
    expect(parsed(body).turns[2]?.parts).toMatchObject([{ content: [{ kind: 'text', text: schema }] }]);
  });

  test('arguments may be cut off, and keep digits that a JavaScript number would lose', () => {
    const found = JSON.stringify(
      contents([
        user(text('x')),
        model(
          call('c', 'f', { arguments: '{"a":' }),
          call('d', 'f', { arguments: '{"n":12345678901234567890}' }),
        ),
      ]),
    );
    expect(found).toContain('"args":{"arguments":"{\\"a\\":"}');
    expect(found).toContain('"args":{"n":12345678901234567890}');
  });

  test('an image in a result stays inside it on Gemini 3, and follows all results on earlier models', () => {
    const turns = [
      user(text('x')),
      model(call('call_1', 'f'), call('call_2', 'f')),
      user(
        {
          kind: 'tool-result',
          id: 'call_1',
          content: [
            {
              kind: 'media',
              media: 'image',
              mediaType: 'image/png',
              source: { kind: 'base64', data: 'AA==' },
            },
          ],
        },
        result('call_2', 'y'),
      ),
    ];
    const picture = { inlineData: { mimeType: 'image/png', data: 'AA==' } };
    expect(contents(turns)).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: { parts: [picture] } }, { functionResponse: {} }] },
    ]);
    expect(contents(turns, BUDGETS)).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: {} }, { functionResponse: {} }] },
      { parts: [picture] },
    ]);
  });

  test('an image by URL in a result follows all results, which can only hold data', () => {
    const source = { kind: 'url', url: 'https://example.com/a.png' } as const;
    const kept = { kind: 'base64', data: 'AA==' } as const;
    const picture = { kind: 'media', media: 'image', mediaType: 'image/png' } as const;
    const turns = [
      user(text('x')),
      model(call('call_1', 'f')),
      user({
        kind: 'tool-result',
        id: 'call_1',
        content: [
          { ...picture, source },
          { ...picture, source: kept },
        ],
      }),
    ];
    const inside = { functionResponse: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }] } };
    expect(contents(turns)).toMatchObject([
      {},
      {},
      { parts: [inside] },
      { parts: [{ fileData: { mimeType: 'image/png', fileUri: 'https://example.com/a.png' } }] },
    ]);
  });

  test('a name that Gemini does not take is replaced in the same way on declaration, choice, call and result', () => {
    const { body } = rendered({
      turns: [user(text('x')), model(call('call_1', '9 lives')), user(result('call_1', 'y'))],
      tools: [{ kind: 'function', name: '9 lives' }],
      toolChoice: { mode: 'required', allowed: ['9 lives'] },
    });
    const names = new Set(JSON.stringify(body).match(/_9_lives_\w+/g));
    expect(names.size).toBe(1);
    expect(JSON.stringify(body)).not.toContain('9 lives');
    expect(JSON.stringify(body).match(/_9_lives_\w+/g)).toHaveLength(4);
  });
});

describe('signatures', () => {
  const signed = { signature: { origin: 'google', value: 'SIG' } } as const;
  const foreign = { signature: { origin: 'anthropic', value: 'EqQB' } } as const;

  test('Google’s own go back to their place; another vendor’s do not, and are reported', () => {
    const { body, notes } = rendered(
      {
        turns: [
          user(text('x')),
          model({ kind: 'text', text: '', ...signed }, { kind: 'text', text: 'b', ...foreign }),
          user(text('y')),
        ],
      },
      BUDGETS,
    );
    expect(body['contents']).toMatchObject([
      {},
      { parts: [{ text: '', thoughtSignature: 'SIG' }, { text: 'b' }] },
      {},
    ]);
    expect(JSON.stringify(body)).not.toContain('EqQB');
    expect(notes).toMatchObject([{ outcome: 'dropped', detail: expect.stringContaining('signature') }]);
  });

  test('thoughts go back only with Google’s signature', () => {
    const { body, notes } = rendered({
      turns: [
        user(text('x')),
        model(
          { kind: 'thinking', text: 'mine', ...signed },
          { kind: 'thinking', text: 'other', ...foreign },
          { kind: 'thinking', text: 'bare' },
          { kind: 'thinking', text: '', redacted: { origin: 'anthropic', value: 'x' } },
          text('a'),
        ),
        user(text('y')),
      ],
    });
    expect(body['contents']).toMatchObject([
      {},
      { parts: [{ text: 'mine', thought: true, thoughtSignature: 'SIG' }, { text: 'a' }] },
      {},
    ]);
    expect(notes).toHaveLength(3);
  });

  const steps = [
    user(text('old')),
    model(call('call_0', 'f')),
    user(result('call_0', 'y')),
    model(text('done')),
    user(text('now')),
    model(call('call_1', 'f'), call('call_2', 'f')),
    user(result('call_1', 'y'), result('call_2', 'y')),
    model(call('call_3', 'f', signed), call('call_4', 'f')),
    user(result('call_3', 'y'), result('call_4', 'y')),
  ];
  const signatures = (target: ModelTraits, turns = steps) => {
    const found = contents(turns, target);
    return JSON.parse(JSON.stringify(found)).flatMap((turn: { parts: JsonObject[] }) =>
      turn.parts.flatMap((part) => (part['functionCall'] ? [part['thoughtSignature'] ?? null] : [])),
    );
  };

  test('the first unsigned call of each step of the current turn gets the placeholder on Gemini 3', () => {
    expect(signatures(LEVELS)).toEqual([null, 'skip_thought_signature_validator', null, 'SIG', null]);
  });

  test.each<[name: string, between: Turn[]]>([
    ['said beside its result', [user(result('call_0', 'y'), text('now'))]],
    [
      'said after its result and thoughts that Google cannot read',
      [user(result('call_0', 'y')), model({ kind: 'thinking', text: 'Hm.' }), user(text('now'))],
    ],
  ])('so does a call before a text that is %s', (_, between) => {
    const turns = [user(text('go')), model(call('call_0', 'f')), ...between, model(call('call_1', 'f'))];
    expect(signatures(LEVELS, turns)).toEqual(Array(2).fill('skip_thought_signature_validator'));
  });

  test('earlier models get no placeholder', () => {
    expect(signatures(BUDGETS)).toEqual([null, null, null, 'SIG', null]);
  });
});

describe('media', () => {
  const media = (
    part: Partial<Part & { kind: 'media' }> & Pick<Part & { kind: 'media' }, 'source'>,
  ): Part => ({ kind: 'media', media: 'image', ...part });
  const sent = (part: Part) => JSON.parse(JSON.stringify(contents([user(part)])))[0].parts[0];

  test.each<[string, Part, JsonObject]>([
    [
      'data',
      media({ mediaType: 'image/png', source: { kind: 'base64', data: 'AA==' } }),
      { inlineData: { mimeType: 'image/png', data: 'AA==' } },
    ],
    [
      'data of no type, told by its head',
      media({ source: { kind: 'base64', data: 'R0lGODlh' } }),
      { inlineData: { mimeType: 'image/gif', data: 'R0lGODlh' } },
    ],
    [
      'a data URL with parameters',
      media({ source: { kind: 'url', url: 'data:image/webp;x=1;base64,UklGR' } }),
      { inlineData: { mimeType: 'image/webp', data: 'UklGR' } },
    ],
    [
      'a data URL of a type that Gemini knows by another name',
      media({ source: { kind: 'url', url: 'data:image/jpg;base64,AA==' } }),
      { inlineData: { mimeType: 'image/jpeg', data: 'AA==' } },
    ],
    [
      'a data URL in plain text',
      media({ media: 'document', source: { kind: 'url', url: 'data:,a%20b' } }),
      { inlineData: { mimeType: 'text/plain', data: 'YSBi' } },
    ],
    [
      'text',
      media({ media: 'document', name: 'a.txt', source: { kind: 'text', text: 'é' } }),
      { inlineData: { mimeType: 'text/plain', data: 'w6k=' } },
    ],
    [
      'a URL, its type told by its name',
      media({ source: { kind: 'url', url: 'https://example.com/a.JPG?size=2' } }),
      { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.com/a.JPG?size=2' } },
    ],
    [
      'a URL that tells no type',
      media({ source: { kind: 'url', url: 'https://example.com/a' } }),
      { fileData: { fileUri: 'https://example.com/a' } },
    ],
  ])('%s', (_, part, expected) => {
    expect(sent(part)).toEqual(expected);
  });

  test.each([
    ['iVBORw0KGgo=', 'image', 'image/png'],
    ['/9j/4AAQ', 'image', 'image/jpeg'],
    ['UklGRgAA', 'image', 'image/webp'],
    ['JVBERi0=', 'document', 'application/pdf'],
    ['iVBORw0KGgo=', 'document', 'image/png'],
    ['SUQzBAAA', 'audio', 'audio/mp3'],
    ['AAAA', 'image', 'image/jpeg'],
    ['AAAA', 'audio', 'audio/wav'],
    ['AAAA', 'video', 'video/mp4'],
    ['AAAA', 'document', 'application/pdf'],
  ] as const)('data of no type, %s as %s, is of %s', (data, kind, mimeType) => {
    const part = media({ media: kind, source: { kind: 'base64', data } });
    expect(sent(part)).toEqual({ inlineData: { mimeType, data } });
  });

  test.each([
    ['png', 'image/png'],
    ['jpeg', 'image/jpeg'],
    ['gif', 'image/gif'],
    ['webp', 'image/webp'],
    ['heic', 'image/heic'],
    ['pdf', 'application/pdf'],
    ['txt', 'text/plain'],
    ['md', 'text/markdown'],
    ['csv', 'text/csv'],
    ['html', 'text/html'],
    ['json', 'application/json'],
    ['mp3', 'audio/mp3'],
    ['wav', 'audio/wav'],
    ['mp4', 'video/mp4'],
    ['mov', 'video/mov'],
    ['webm', 'video/webm'],
  ])('a URL that ends in .%s is of %s', (ending, mimeType) => {
    const fileUri = `https://example.com/a.${ending}`;
    expect(sent(media({ source: { kind: 'url', url: fileUri } }))).toEqual({
      fileData: { mimeType, fileUri },
    });
  });

  test('a file in another vendor’s store is a 400 that says so', () => {
    const part = media({ source: { kind: 'file', id: 'file-123', format: 'chat-completions' } });
    expect(() => contents([user(part)])).toThrow(GatewayError);
    expect(() => contents([user(part)])).toThrow(/another vendor's file store/);
  });

  test.each([
    ['low', 'LOW'],
    ['high', 'HIGH'],
    ['original', 'ULTRA_HIGH'],
  ])('how closely to look at an image: %s', (detail, level) => {
    const part = media({ detail, source: { kind: 'base64', data: 'AA==' } });
    const { body, notes } = rendered({ turns: [user(part)] });
    const mediaResolution = { level: `MEDIA_RESOLUTION_${level}` };
    expect(body['contents']).toMatchObject([{ parts: [{ mediaResolution }] }]);
    expect(notes).toEqual([]);
  });

  test('models before Gemini 3 get no resolution, and it is reported', () => {
    const part = media({ detail: 'low', source: { kind: 'base64', data: 'AA==' } });
    expect(rendered({ turns: [user(part)] }, { ...BUDGETS, dialect: 'google' }).notes).toMatchObject([
      { outcome: 'dropped', detail: 'image detail low' },
    ]);
  });
});

describe('settings', () => {
  test('number of answers, log probabilities, seed, penalties, stop sequences', () => {
    expect(
      config(
        {
          choices: 2,
          logprobs: true,
          topLogprobs: 3,
          seed: 5,
          presencePenalty: 1,
          frequencyPenalty: -1,
          stop: ['a', ''],
          maxTokens: 9,
          temperature: 1.5,
          topP: 0.1,
          topK: 3,
        },
        PLAIN,
      ),
    ).toEqual({
      candidateCount: 2,
      responseLogprobs: true,
      logprobs: 3,
      seed: 5,
      presencePenalty: 1,
      frequencyPenalty: -1,
      stopSequences: ['a'],
      maxOutputTokens: 9,
      temperature: 1.5,
      topP: 0.1,
      topK: 3,
    });
  });

  // "Only valid if responseLogprobs=True" (GenerationConfig); "the supported range is from 1" (Google's refusal).
  test('values that mean none to other services are not sent', () => {
    expect(config({ topLogprobs: 0 }, PLAIN)).toBeUndefined();
    expect(config({ logprobs: false, topLogprobs: 0 }, PLAIN)).toEqual({ responseLogprobs: false });
    expect(config({ topK: 0 }, PLAIN)).toBeUndefined();
    expect(config({ topK: -1 }, PLAIN)).toBeUndefined();
    const refusing = { ...LEVELS, sampling: false };
    expect(rendered({ turns: [user(text('x'))], topK: 0 }, refusing).notes).toEqual([]);
    expect(rendered({ turns: [user(text('x'))], topLogprobs: 2 }, PLAIN).notes).toMatchObject([
      { field: 'topLogprobs', outcome: 'dropped' },
    ]);
  });

  test('more answers than Gemini gives are a 400', () => {
    const refusal = { fault: 'invalid-request', param: 'choices' };
    expect(() => config({ choices: 9 })).toThrow(expect.objectContaining(refusal));
  });

  test('of more stop sequences than Gemini takes, it gets the first, and the note tells so', () => {
    const six = ['1', '2', '3', '4', '5', '6'];
    expect(config({ stop: six })).toEqual({ stopSequences: six.slice(0, 5) });
    expect(rendered({ turns: [user(text('x'))], stop: six }).notes).toEqual([
      {
        field: 'stop',
        outcome: 'approximated',
        detail: 'the vendor takes 5; the gateway ends the answer at the others, too',
      },
    ]);
  });

  test('a too high limit becomes the model’s, and sampling that it refuses is left out; both are reported', () => {
    const { body, notes } = rendered(
      { turns: [user(text('x'))], maxTokens: 1e6, temperature: 1 },
      { ...LEVELS, sampling: false },
    );
    expect(body['generationConfig']).toEqual({ maxOutputTokens: 65_536 });
    expect(notes.map((note) => [note.field, note.outcome])).toEqual([
      ['temperature', 'dropped'],
      ['maxTokens', 'approximated'],
    ]);
  });

  test.each([
    ['default', 'standard'],
    ['standard_only', 'standard'],
    ['flex', 'flex'],
    ['priority', 'priority'],
    ['auto', undefined],
    ['scale', undefined],
    ['fast', 'priority'],
  ])('service tier %s is %s', (serviceTier, expected) => {
    expect(rendered({ turns: [user(text('x'))], serviceTier }).body['serviceTier']).toBe(expected);
  });

  test('fields without a counterpart at Google are dropped and reported; unknown ones are passed on', () => {
    const { body, notes } = rendered({
      turns: [user(text('x'))],
      user: 'u',
      metadata: { a: 1 },
      parallelToolCalls: false,
      formatSpecific: { format: 'chat-completions', fields: { logit_bias: {} } },
      unknownFields: { colour: 'blue' },
    });
    expect(body).toEqual({ contents: [{ role: 'user', parts: [{ text: 'x' }] }], colour: 'blue' });
    expect(notes.map((note) => note.field).sort()).toEqual([
      'metadata',
      'own.logit_bias',
      'parallelToolCalls',
      'user',
    ]);
  });
});

describe('thinking', () => {
  /** As Gemini 2.5 Pro does. */
  const ALWAYS: ModelTraits = {
    ...BUDGETS,
    thinking: { kinds: ['budget'], efforts: [], budget: { min: 128, max: 32_768 }, canDisable: false },
  };

  test.each<[string, Prompt['thinking'], ModelTraits, JsonObject | undefined]>([
    [
      'a word on a model of words',
      { effort: 'low' },
      LEVELS,
      { thinkingLevel: 'LOW', includeThoughts: true },
    ],
    ['a word it has not', { effort: 'xhigh' }, LEVELS, { thinkingLevel: 'HIGH', includeThoughts: true }],
    [
      'a budget on a model of words',
      { budget: 5000 },
      LEVELS,
      { thinkingLevel: 'MEDIUM', includeThoughts: true },
    ],
    ['off where it cannot be off', { effort: 'none' }, LEVELS, { thinkingLevel: 'MINIMAL' }],
    [
      'a word on a model of budgets',
      { effort: 'medium' },
      BUDGETS,
      { thinkingBudget: 8192, includeThoughts: true },
    ],
    [
      'a budget beyond its limits',
      { budget: 1e6 },
      BUDGETS,
      { thinkingBudget: 24_576, includeThoughts: true },
    ],
    ['off', { effort: 'none' }, BUDGETS, { thinkingBudget: 0 }],
    ['off where it cannot be off, by a budget', { effort: 'none' }, ALWAYS, { thinkingBudget: 128 }],
    ['no budget, where there must be one', { budget: 0 }, ALWAYS, { thinkingBudget: 128 }],
    ['as the model likes', { adaptive: true }, BUDGETS, { thinkingBudget: -1, includeThoughts: true }],
    ['not to be shown', { effort: 'high', visible: false }, LEVELS, { thinkingLevel: 'HIGH' }],
    ['nothing said', undefined, LEVELS, undefined],
  ])('%s', (_, thinking, target, expected) => {
    expect(config(thinking ? { thinking } : {}, target)).toEqual(expected && { thinkingConfig: expected });
  });

  test('a request never has both a level and a budget', () => {
    const both: ModelTraits = {
      ...LEVELS,
      thinking: {
        kinds: ['effort', 'budget'],
        efforts: ['low', 'high'],
        budget: { min: 1, max: 9 },
        canDisable: true,
      },
    };
    expect(config({ thinking: { effort: 'high', budget: 5 } }, both)).toEqual({
      thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true },
    });
  });

  test('is dropped and reported for a model that does not think', () => {
    const { thinking: _, ...plain } = LEVELS;
    const { body, notes } = rendered({ turns: [user(text('x'))], thinking: { effort: 'high' } }, plain);
    expect(body).not.toHaveProperty('generationConfig');
    expect(notes).toMatchObject([{ field: 'thinking', outcome: 'dropped' }]);
  });
});

describe('tools', () => {
  const tools = (list: Prompt['tools'], more: Partial<Prompt> = {}, target = LEVELS) =>
    rendered({ turns: [user(text('x'))], ...(list && { tools: list }), ...more }, target);

  test('JSON Schema stays as it is; a function without arguments has no parameters', () => {
    const parameters = { type: 'object', properties: { a: { const: 1 } }, additionalProperties: false };
    expect(
      tools([
        { kind: 'function', name: 'f', description: 'd', parameters },
        { kind: 'function', name: 'g' },
      ]).body['tools'],
    ).toEqual([
      {
        functionDeclarations: [
          { name: 'f', description: 'd', parametersJsonSchema: parameters },
          { name: 'g' },
        ],
      },
    ]);
  });

  test('keywords beside a $ref are moved, in every schema and nowhere else', () => {
    const person = { $ref: '#/$defs/person', description: 'who', default: null };
    const parameters = {
      type: 'object',
      properties: {
        $ref: { type: 'string' },
        a: person,
        b: { type: 'array', items: person },
        c: { $ref: '#/$defs/person', $comment: 'x' },
      },
      $defs: { person: { type: 'object' } },
      default: { $ref: 'data', beside: 1 },
    };
    const moved = { description: 'who', default: null, anyOf: [{ $ref: '#/$defs/person' }] };
    const [entry] = JSON.parse(
      JSON.stringify(tools([{ kind: 'function', name: 'f', parameters }]).body['tools']),
    );
    expect(entry.functionDeclarations[0].parametersJsonSchema).toEqual({
      ...parameters,
      properties: { ...parameters.properties, a: moved, b: { type: 'array', items: moved } },
    });
  });

  test('a custom tool is a function with one text field', () => {
    const { body, notes } = tools([
      { kind: 'custom', name: 'run', format: { type: 'grammar', syntax: 'regex', definition: '\\d+' } },
    ]);
    expect(body['tools']).toMatchObject([
      {
        functionDeclarations: [
          {
            name: 'run',
            parametersJsonSchema: { required: ['input'] },
            description: expect.stringContaining('\\d+'),
          },
        ],
      },
    ]);
    expect(notes).toMatchObject([{ field: 'tools[run].type', outcome: 'approximated' }]);
  });

  test('a search becomes Google’s; another vendor’s other tools are dropped; both are reported', () => {
    const { body, notes } = tools([
      { kind: 'hosted', format: 'messages', value: { type: 'web_search_20250305' }, webSearch: true },
      { kind: 'hosted', format: 'messages', value: { type: 'bash_20250124' } },
    ]);
    expect(body['tools']).toEqual([{ googleSearch: {} }]);
    expect(notes.map((note) => note.outcome)).toEqual(['approximated', 'dropped']);
  });

  test.each<[string, NonNullable<Prompt['toolChoice']>, JsonObject]>([
    ['a search alone', { mode: 'auto' }, { tools: [{ googleSearch: {} }] }],
    ['a search alone', { mode: 'required' }, { tools: [{ googleSearch: {} }] }],
    ['a search alone', { mode: 'none' }, {}],
    ['no tool of its own', { mode: 'required' }, {}],
  ])('to %s there is no choice: %j', (what, toolChoice, expected) => {
    const type = what === 'a search alone' ? 'web_search' : 'code_interpreter';
    const webSearch = type === 'web_search';
    const { body } = tools([{ kind: 'hosted', format: 'responses', value: { type }, webSearch }], {
      toolChoice,
    });
    expect({ tools: body['tools'], toolConfig: body['toolConfig'] }).toEqual(expected);
  });

  test('a search beside functions is left out for models that take only one kind', () => {
    const search = {
      kind: 'hosted',
      format: 'responses',
      value: { type: 'web_search' },
      webSearch: true,
    } as const;
    const both = [{ kind: 'function', name: 'f' }, search] as const;
    const { body, notes } = tools(both, { toolChoice: { mode: 'auto' } }, BUDGETS);
    expect(body['tools']).toEqual([{ functionDeclarations: [{ name: 'f' }] }]);
    expect(body['toolConfig']).toEqual({ functionCallingConfig: { mode: 'AUTO' } });
    expect(notes).toMatchObject([{ field: 'tools[].type', outcome: 'dropped' }]);
  });

  test.each<[Prompt['toolChoice'], boolean, JsonObject | undefined]>([
    [undefined, false, undefined],
    [undefined, true, { mode: 'VALIDATED' }],
    [{ mode: 'auto' }, false, { mode: 'AUTO' }],
    [{ mode: 'auto' }, true, { mode: 'VALIDATED' }],
    [{ mode: 'auto', allowed: ['f'] }, false, { mode: 'VALIDATED', allowedFunctionNames: ['f'] }],
    [{ mode: 'required' }, true, { mode: 'ANY' }],
    [{ mode: 'required', allowed: ['f'] }, false, { mode: 'ANY', allowedFunctionNames: ['f'] }],
    [{ mode: 'none' }, true, { mode: 'NONE' }],
  ])('choice %j, strict %s', (toolChoice, strict, expected) => {
    const { body } = tools(
      [{ kind: 'function', name: 'f', ...(strict && { strict }) }],
      toolChoice ? { toolChoice } : {},
    );
    expect(body['toolConfig']).toEqual(expected && { functionCallingConfig: expected });
  });
});

describe('the form of the answer', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: ['string', 'null'] } },
    additionalProperties: false,
  };
  const prompt: Partial<Prompt> = {
    turns: [user(text('x'))],
    output: { kind: 'json-schema', name: 'n', schema, strict: true },
  };

  test('may be JSON that matches a schema', () => {
    expect(config(prompt)).toEqual({ responseMimeType: 'application/json', responseJsonSchema: schema });
    expect(config({ output: { kind: 'json' } })).toEqual({ responseMimeType: 'application/json' });
    expect(config({ output: { kind: 'text' } })).toBeUndefined();
  });

  test('together with functions on Gemini 3 only; else words ask for it, and it is reported', () => {
    const both = { ...prompt, tools: [{ kind: 'function', name: 'f' } as const] };
    expect(rendered(both).body['generationConfig']).toHaveProperty('responseJsonSchema');
    const { body, notes } = rendered(both, BUDGETS);
    expect(body).not.toHaveProperty('generationConfig');
    expect(JSON.stringify(body['systemInstruction'])).toContain('JSON Schema');
    expect(notes).toMatchObject([{ field: 'output', outcome: 'approximated' }]);
  });

  test('a loop of required references, which Gemini refuses, is opened in answers and tools, and reported', () => {
    const loop = {
      type: 'object',
      properties: { not: { $ref: '#' }, name: { type: 'string' } },
      required: ['not', 'name'],
    };
    const { body, notes } = rendered({
      turns: [user(text('x'))],
      output: { kind: 'json-schema', schema: loop },
      tools: [{ kind: 'function', name: 'f', parameters: loop }],
    });
    const opened = { ...loop, required: ['name'] };
    expect(body).toMatchObject({
      generationConfig: { responseJsonSchema: opened },
      tools: [{ functionDeclarations: [{ parametersJsonSchema: opened }] }],
    });
    expect(notes.map(({ field, outcome }) => [field, outcome])).toEqual(
      expect.arrayContaining([
        ['output', 'approximated'],
        ['tools[f].parameters', 'approximated'],
      ]),
    );
  });

  test('a model that enforces no schema gets it in words', () => {
    const { body } = rendered(prompt, { ...LEVELS, structuredOutput: false });
    expect(body['generationConfig']).toEqual({ responseMimeType: 'application/json' });
    expect(body['systemInstruction']).toMatchObject({
      parts: [{ text: expect.stringContaining('additionalProperties') }],
    });
  });
});
