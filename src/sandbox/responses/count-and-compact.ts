/** What OpenAI does with a dialogue besides continuing it: it counts its tokens, and compacts it. */

import type { z } from 'zod';
import type { JsonObject } from '../../lib/json.ts';
import { promptTokens } from '../caches.ts';
import { type VendorAnswer, type VendorRequest, whole } from '../exchange.ts';
import { checkedBody, modelIn } from '../openai/request.ts';
import { newId, type SandboxState, stampFor } from '../sandbox-state.ts';
import { compactRequest, inputTokensRequest } from '../schemas/responses.ts';
import { sign } from '../signatures.ts';
import { askOfResponses } from './ask.ts';
import { checkItems } from './check-items.ts';
import { findDialogue } from './store.ts';

/** The tokens that remain of what is compacted. */
const COMPACTED = 64;

/**
 * Answers `POST /v1/responses/input_tokens`.
 * @returns the number of input tokens
 * @throws Refused with OpenAI's own error
 */
export function countResponses(request: VendorRequest, state: SandboxState): VendorAnswer {
  const { tokens } = read(request, inputTokensRequest, state);
  return whole({ object: 'response.input_tokens', input_tokens: tokens });
}

/**
 * Answers `POST /v1/responses/compact` with what users have said, and with the rest as one item that only OpenAI can
 * read.
 * @returns the compacted dialogue
 * @throws Refused with OpenAI's own error
 */
export function compactResponses(request: VendorRequest, state: SandboxState): VendorAnswer {
  const { body, name, items, tokens: input } = read(request, compactRequest, state);
  const { created } = stampFor(name, body);
  return whole({
    id: `resp_${newId()}`,
    object: 'response.compaction',
    created_at: created,
    output: [
      ...items.filter(({ role }) => role === 'user').map(asOutput),
      { id: `cmp_${newId()}`, type: 'compaction', encrypted_content: sign('openai', JSON.stringify(items)) },
    ],
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: COMPACTED,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + COMPACTED,
    },
  });
}

/**
 * A request that fits its schema, its whole dialogue, and the tokens of that.
 * @throws Refused with OpenAI's own error
 */
function read(request: VendorRequest, schema: z.ZodType, state: SandboxState) {
  const body = checkedBody(request, schema);
  const [name] = modelIn('openai', state, body);
  const items = findDialogue(body, state);
  checkItems(items, 'openai', state);
  return { body, name, items, tokens: promptTokens(askOfResponses(body, items, name)) };
}

function asOutput({ content }: JsonObject): JsonObject {
  const parts = typeof content === 'string' ? [{ type: 'input_text', text: content }] : content;
  return { id: `msg_${newId()}`, type: 'message', status: 'completed', role: 'user', content: parts ?? [] };
}
