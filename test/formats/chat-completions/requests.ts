/** Requests for the tests of this format, and models to send them to. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Prompt } from '../../../src/conversation/prompt.ts';
import { parseRequest } from '../../../src/formats/chat-completions/inbound/parse-request.ts';
import { renderRequest } from '../../../src/formats/chat-completions/outbound/render-request.ts';
import { type ModelTraits, type Note, reportInto, unreported } from '../../../src/formats/format.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../../../src/lib/json.ts';
import { PERMISSIVE } from '../../support/meaning.ts';

const FOLDER = join(import.meta.dirname, '../../../fixtures/requests/chat-completions');

export const fixtures = readdirSync(FOLDER).map((file) => ({
  name: file.slice(0, -'.json'.length),
  body: objectOf(parseJson(readFileSync(join(FOLDER, file), 'utf8'))),
}));

/** A model that takes words for its effort and refuses sampling parameters, as OpenAI's do. */
export const REASONING: ModelTraits = {
  ...PERMISSIVE,
  thinking: { kinds: ['effort'], efforts: ['low', 'medium', 'high'], canDisable: false },
  sampling: false,
  dialect: 'openai',
};

export function objectOf(value: Json | undefined): JsonObject {
  if (!isObject(value)) throw new Error('An object was expected.');
  return value;
}

/** The rendered request of a prompt. */
export function rendered(prompt: Prompt, target: ModelTraits, notes: Note[] = []): JsonObject {
  const body = renderRequest(prompt, target, reportInto(notes));
  return objectOf(parseJson(JSON.stringify(body)));
}

/** A body, parsed and rendered again. */
export function again(body: JsonObject, target = PERMISSIVE, notes: Note[] = []): JsonObject {
  return rendered(parseRequest(body, unreported), target, notes);
}
