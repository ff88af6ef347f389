import { describe, expect, test } from 'vitest';
import { collect } from '../../src/conversation/collect.ts';
import type { OpenPart } from '../../src/conversation/reply.ts';

test('more scored tokens at once than a call takes arguments', () => {
  const tokens = Array.from({ length: 200_000 }, () => ({ token: 'a', logprob: -1 }));
  const reply = collect([
    { type: 'reply-start', id: 'a', model: 'm' },
    { type: 'logprobs', choice: 0, tokens },
  ]);
  expect(reply.choices[0]?.logprobs).toHaveLength(tokens.length);
});

describe('the last of several signatures of one part counts', () => {
  const signed = (value: string) => ({ origin: 'anthropic', value }) as const;
  const opens: OpenPart[] = [
    { kind: 'text' },
    { kind: 'thinking' },
    { kind: 'refusal' },
    { kind: 'tool-call', id: 'call_1', name: 'f' },
    { kind: 'opaque', format: 'messages', value: {} },
  ];
  const at = { choice: 0, index: 0 } as const;

  test.each(opens)('$kind', (part) => {
    const start = { type: 'part-start', ...at, part, signature: signed('at the start') } as const;
    const detail = (value: string) => ({ type: 'part-detail', ...at, signature: signed(value) }) as const;
    const unsigned = { type: 'part-detail', ...at } as const;
    expect(collect([start]).choices[0]?.parts[0]?.signature).toEqual(signed('at the start'));
    const events = [start, detail('first'), detail('last'), unsigned];
    expect(collect(events).choices[0]?.parts[0]?.signature).toEqual(signed('last'));
  });

  test('so does the last redacted reasoning', () => {
    const detail = (value: string) => ({ type: 'part-detail', ...at, redacted: signed(value) }) as const;
    const start = { type: 'part-start', ...at, part: { kind: 'thinking' } } as const;
    const [part] = collect([start, detail('first'), detail('last')]).choices[0]?.parts ?? [];
    expect(part).toMatchObject({ redacted: signed('last') });
  });
});

test('a tier at the end of an answer replaces the one at its start', () => {
  const start = { type: 'reply-start', id: 'a', model: 'm', serviceTier: 'auto' } as const;
  expect(collect([start, { type: 'reply-end', serviceTier: 'flex' }]).start.serviceTier).toBe('flex');
  expect(collect([start, { type: 'reply-end' }]).start.serviceTier).toBe('auto');
});
