/** The meaning of an answer, in a form in which two formats can be compared. */

import { collect } from '../../src/conversation/collect.ts';
import type { Prompt } from '../../src/conversation/prompt.ts';
import type { PromptOutline } from '../../src/conversation/prompt-outline.ts';
import type { Reply, ReplyEvent } from '../../src/conversation/reply.ts';
import type { Format, ModelTraits, RequestContext } from '../../src/formats/format.ts';
import { formats } from '../../src/formats/formats.ts';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import { tryParseJson } from '../../src/lib/json.ts';
import { decodeSse, type Sse, sseText } from '../../src/streams/sse.ts';
import { fuse, run } from '../../src/streams/step.ts';

/** A model that can do everything. */
export const PERMISSIVE: ModelTraits = {
  model: 'a-model',
  maxOutputTokens: 64_000,
  thinking: {
    kinds: ['effort', 'budget'],
    efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
    budget: { min: 1024, max: 60_000 },
    canDisable: true,
  },
  sampling: true,
  structuredOutput: true,
  dialect: '',
};

export const PROMPT: Prompt & PromptOutline = {
  model: 'a-model',
  turns: [],
  calls: [],
  stream: true,
  includeUsage: true,
  // Who has no custom tools gets no custom calls.
  tools: [{ kind: 'custom', name: '' }],
};

/** The context of a caller who asks to see thinking: generate-content shows it to no other. */
export const ASKED: RequestContext = {
  prompt: { ...PROMPT, thinking: { visible: true } },
  body: {},
  id: 'abc123',
  created: 1_700_000_000,
};

/** The events of a recorded stream, cut into chunks of `size` bytes. */
export function eventsOf(
  format: Format,
  bytes: Uint8Array,
  size = bytes.length,
  target = PERMISSIVE,
): ReplyEvent[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return run(fuse(decodeSse(), format.outbound.parseEvents(PROMPT, target)), chunks);
}

/** The events of a recorded whole answer. */
export function eventsOfWhole(format: Format, body: string, target = PERMISSIVE): ReplyEvent[] {
  return run(format.outbound.parseEvents(PROMPT, target), [{ data: body }]);
}

export function rendered(format: Format, events: readonly ReplyEvent[], asked = ASKED): Sse[] {
  return run(format.inbound.renderEvents(asked), events);
}

export function renderedWhole(format: Format, events: readonly ReplyEvent[], asked = ASKED): JsonObject {
  return format.inbound.renderReply(collect(events), asked);
}

export function bytesOf(events: readonly Sse[]): Uint8Array {
  return new TextEncoder().encode(events.map(sseText).join(''));
}

/** What survives every translation. */
export interface Meaning {
  readonly text: string;
  readonly thinking: string;
  readonly refusal: string;
  readonly calls: readonly { readonly name: string; readonly arguments: Json }[];
  readonly finish: string;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
}

/** Finish reasons that are the same if a format has fewer words. */
const SAME_FINISH: Readonly<Record<string, string>> = {
  'stop-sequence': 'stop',
  pause: 'stop',
  other: 'stop',
  'context-length': 'length',
  refusal: 'content-filter',
  'malformed-call': 'content-filter',
};

export function meaningOf(reply: Reply): Meaning {
  const [choice] = reply.choices;
  const parts = choice?.parts ?? [];
  // A format with a single text puts blank lines between parts.
  const joined = (kind: 'text' | 'thinking' | 'refusal'): string =>
    parts
      .map((part) => (part.kind === kind ? part.text : ''))
      .join('')
      .replaceAll('\n\n', '');
  const refusal = joined('refusal');
  const finish = choice?.end.finish ?? 'none';
  return {
    // A format without refusals writes one as text.
    text: joined('text') + refusal,
    thinking: joined('thinking'),
    refusal: '',
    calls: parts.flatMap((part) =>
      part.kind === 'tool-call'
        ? [{ name: part.name, arguments: tryParseJson(part.arguments || '{}') ?? part.arguments }]
        : [],
    ),
    finish: SAME_FINISH[finish] ?? finish,
    input: reply.usage.input ?? 0,
    output: reply.usage.output ?? 0,
    cacheRead: reply.usage.cacheRead ?? 0,
  };
}

export const allFormats: readonly Format[] = Object.values(formats);
