/** Answers a responses request, and stores the response. */

import type { JsonObject } from '../../lib/json.ts';
import { asObject, asObjects, asText } from '../../lib/json.ts';
import { promptTokens } from '../caches.ts';
import { compose } from '../compose.ts';
import { streamed, type VendorAnswer, type VendorRequest, whole } from '../exchange.ts';
import { checkedBody, modelIn, type OpenaiVendor } from '../openai/request.ts';
import { badField } from '../openai/words.ts';
import { type SandboxState, stampFor } from '../sandbox-state.ts';
import { compatibleResponsesRequest, responsesRequest } from '../schemas/responses.ts';
import { type Script, type Stamp, tail } from '../script.ts';
import { askOfResponses, parseItems } from './ask.ts';
import { checkItems } from './check-items.ts';
import { checkLimits, checkOptions } from './check-options.ts';
import { pendingResponse, streamResponses, wholeResponses } from './render.ts';
import { findDialogue } from './store.ts';

/**
 * Answers `POST /v1/responses`.
 * @returns a response, or its stream
 * @throws Refused with the vendor's own error
 */
export function answerResponses(
  vendor: OpenaiVendor,
  request: VendorRequest,
  state: SandboxState,
): VendorAnswer {
  const body = checkedBody(request, vendor === 'openai' ? responsesRequest : compatibleResponsesRequest);
  const [name, model] = modelIn(vendor, state, body);
  checkOptions(body);
  if (vendor === 'openai') checkLimits(body, model);
  const items = findDialogue(body, state);
  checkItems(items, vendor, state);
  const ask = askOfResponses(body, items, name);
  if (promptTokens(ask) > model.contextWindow) throw tooLong();
  const composed = compose(ask, state.prompts);
  const script = isPrewarm(body) ? unsaid(composed) : composed;
  const stamp = stampFor(name, body);
  if (body['store'] !== false) {
    const earlier = state.responses.get(asText(body['previous_response_id']) ?? '')?.size ?? 0;
    store(script, stamp, items, earlier + request.body.length, state);
  }
  if (body['stream'] === true) return streamed(streamResponses(script, stamp), script);
  return isBackground(body)
    ? whole(pendingResponse(script, stamp, 'queued'))
    : whole(wholeResponses(script, stamp), script.usage.output);
}

/** How long a response takes in the background, in milliseconds: some polls, whatever the pace. */
const BACKGROUND = 500;

function isBackground(body: JsonObject): boolean {
  return body['background'] === true;
}

/** Whether the request only puts the prompt into the cache. */
function isPrewarm(body: JsonObject): boolean {
  return asObject(body['prompt_cache_options'])?.['prewarm'] === true;
}

function unsaid(script: Script): Script {
  return { parts: [], finish: 'stop', usage: { ...script.usage, output: 0, reasoning: 0 } };
}

function store(
  script: Script,
  stamp: Stamp,
  items: readonly JsonObject[],
  size: number,
  state: SandboxState,
): void {
  if (script.broken) return;
  const response = wholeResponses(script, stamp);
  const output = asObjects(response['output']);
  for (const item of output) state.items.set(asText(item['id']) ?? '', item);
  state.responses.set(asText(response['id']) ?? '', {
    dialogue: [...items, ...output],
    input: parseItems(stamp.body['input']).map((item, index) => asInputItem(item, stamp, index)),
    script,
    stamp,
    size,
    ready: Date.now() + (isBackground(stamp.body) ? BACKGROUND : 0),
  });
}

/** Where the ids of input items begin, so that none is that of an item of the output. */
const INPUT = 0x80;

/** An item of the input as OpenAI lists it. */
function asInputItem(item: JsonObject, stamp: Stamp, index: number): JsonObject {
  const id = tail(stamp, INPUT + index, 32);
  const { role, content, type = 'message' } = item;
  if (type !== 'message') return { id: `item_${id}`, ...item };
  const said = role === 'assistant' ? 'output_text' : 'input_text';
  const parts = typeof content === 'string' ? [{ type: said, text: content }] : (content ?? []);
  return { id: `msg_${id}`, status: 'completed', ...item, type, content: parts };
}

function tooLong() {
  return badField(
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    'input',
    'context_length_exceeded',
  );
}
