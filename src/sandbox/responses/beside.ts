/** What OpenAI does with a dialogue beside going on with it: it counts its tokens, and makes a shorter one of it. */

import type { z } from 'zod';
import type { JsonObject } from '../../lib/json.ts';
import { promptTokens } from '../caches.ts';
import { type VendorAnswer, type VendorRequest, whole } from '../exchange.ts';
import { checkedBody, modelIn } from '../openai/request.ts';
import { compactRequest, inputTokensRequest } from '../schemas/responses.ts';
import { sign } from '../signatures.ts';
import { newId, stampFor, type World } from '../world.ts';
import { askOfResponses } from './ask.ts';
import { checkItems } from './check-items.ts';
import { dialogueOf } from './store.ts';

/** How much is left of what is compacted, in tokens. */
const COMPACTED = 64;

/** `POST /v1/responses/input_tokens`. @throws Refused as OpenAI would. */
export function countResponses(request: VendorRequest, world: World): VendorAnswer {
  const { tokens } = read(request, inputTokensRequest, world);
  return whole({ object: 'response.input_tokens', input_tokens: tokens });
}

/**
 * `POST /v1/responses/compact`: what users have said, and the rest as one item that only OpenAI can read.
 * @throws Refused as OpenAI would.
 */
export function compactResponses(request: VendorRequest, world: World): VendorAnswer {
  const { body, name, items, tokens: input } = read(request, compactRequest, world);
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
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: COMPACTED,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + COMPACTED,
    },
  });
}

/** A request by its schema, all it is about, and how much that is. @throws Refused */
function read(request: VendorRequest, schema: z.ZodType, world: World) {
  const body = checkedBody(request, schema);
  const { name } = modelIn('openai', world, body);
  const items = dialogueOf(body, world);
  checkItems(items, 'openai', world);
  return { body, name, items, tokens: promptTokens(askOfResponses(body, items, name)) };
}

function asOutput({ content }: JsonObject): JsonObject {
  const parts = typeof content === 'string' ? [{ type: 'input_text', text: content }] : content;
  return { id: `msg_${newId()}`, type: 'message', status: 'completed', role: 'user', content: parts ?? [] };
}
