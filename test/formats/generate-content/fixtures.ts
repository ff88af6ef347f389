/** What the tests of this format share. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Prompt } from '../../../src/conversation/prompt.ts';
import type { PromptOutline } from '../../../src/conversation/prompt-outline.ts';
import type { ReplyEvent } from '../../../src/conversation/reply.ts';
import { type ModelTraits, type Note, type RequestContext, reportInto } from '../../../src/formats/format.ts';
import { parseRequest } from '../../../src/formats/generate-content/inbound/parse-request.ts';
import { parseEvents } from '../../../src/formats/generate-content/outbound/parse-events.ts';
import { renderRequest } from '../../../src/formats/generate-content/outbound/render-request.ts';
import { isObject, type JsonObject, parseJson } from '../../../src/lib/json.ts';
import { run } from '../../../src/streams/step.ts';

/** A model that thinks by level, as Gemini 3 does. */
export const LEVELS: ModelTraits = {
  model: 'gemini-3-flash-preview',
  maxOutputTokens: 65_536,
  thinking: { kinds: ['effort'], efforts: ['minimal', 'low', 'medium', 'high'], canDisable: false },
  sampling: true,
  structuredOutput: true,
  dialect: '',
};

/** A model that thinks by budget, as Gemini 2.5 does. */
export const BUDGETS: ModelTraits = {
  ...LEVELS,
  model: 'gemini-2.5-flash',
  thinking: { kinds: ['budget'], efforts: [], budget: { min: 128, max: 24_576 }, canDisable: true },
};

/** A model that does not think, as Gemini 2.0. */
const { thinking: _, ...unthinking } = LEVELS;
export const PLAIN: ModelTraits = { ...unthinking, model: 'gemini-2.0-flash' };

export const PROMPT: Prompt & PromptOutline = {
  model: 'gemini-3-flash-preview',
  turns: [],
  calls: [],
  stream: true,
};

/** A caller who asks to see the thoughts. */
export const ASKED: RequestContext = {
  prompt: { ...PROMPT, thinking: { visible: true } },
  body: {},
  id: 'abc123',
  created: 1_700_000_000,
};

const requests = join(import.meta.dirname, '../../../fixtures/requests/generate-content');

export const requestNames = readdirSync(requests).map((file) => file.replace(/\.json$/, ''));

export function request(name: string): JsonObject {
  return object(readFileSync(join(requests, `${name}.json`), 'utf8'));
}

export function object(text: string): JsonObject {
  const value = parseJson(text);
  if (!isObject(value)) throw new TypeError('not an object');
  return value;
}

export function parsed(body: JsonObject): Prompt {
  return parseRequest(body, () => {});
}

export function rendered(
  prompt: Partial<Prompt>,
  target = LEVELS,
): { body: JsonObject; notes: readonly Note[] } {
  const notes: Note[] = [];
  const body = renderRequest({ ...PROMPT, ...prompt }, target, reportInto(notes));
  return { body, notes };
}

/** The events of chunks, each given as an object. */
export function events(chunks: readonly JsonObject[], prompt: PromptOutline = PROMPT): ReplyEvent[] {
  return run(
    parseEvents(prompt, LEVELS),
    chunks.map((chunk) => ({ data: JSON.stringify(chunk) })),
  );
}

/** A chunk whose one candidate has these parts. */
export function chunk(
  parts: readonly JsonObject[],
  candidate: JsonObject = {},
  answer: JsonObject = {},
): JsonObject {
  return {
    candidates: [{ content: { parts, role: 'model' }, ...candidate, index: 0 }],
    ...answer,
    modelVersion: 'gemini-3-flash-preview',
    responseId: 'R1',
  };
}
