/** `POST /v1/responses/compact`: what users have said, and the rest as one item that only OpenAI can read. */

import type { JsonObject } from '../../json.ts';
import { promptTokens } from '../caches.ts';
import { type VendorAnswer, type VendorRequest, whole } from '../exchange.ts';
import { checkedBody, modelIn } from '../openai/request.ts';
import { compactRequest } from '../schemas/responses.ts';
import { sign } from '../signatures.ts';
import { newId, stampFor, type World } from '../world.ts';
import { askOfResponses } from './ask.ts';
import { checkItems } from './check-items.ts';
import { dialogueOf } from './store.ts';

/** How much is left of what is compacted, in tokens. */
const COMPACTED = 64;

/** @throws Refused as OpenAI would. */
export function compactResponses(request: VendorRequest, world: World): VendorAnswer {
  const body = checkedBody(request, compactRequest);
  const { name } = modelIn('openai', world, body);
  const items = dialogueOf(body, world);
  checkItems(items, 'openai', world);
  const input = promptTokens(askOfResponses(body, items, name));
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

function asOutput({ content }: JsonObject): JsonObject {
  const parts = typeof content === 'string' ? [{ type: 'input_text', text: content }] : content;
  return { id: `msg_${newId()}`, type: 'message', status: 'completed', role: 'user', content: parts ?? [] };
}
