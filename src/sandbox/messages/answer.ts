/** Answers a messages request, and keeps the answer in its thread. */

import { asText } from '../../lib/json.ts';
import { checkedBody, lookUp } from '../anthropic/request.ts';
import { badRequest } from '../anthropic/words.ts';
import { promptTokens } from '../caches.ts';
import { compose } from '../compose.ts';
import { streamed, type VendorAnswer, type VendorRequest, whole } from '../exchange.ts';
import { type SandboxState, stampFor } from '../sandbox-state.ts';
import { messagesRequest } from '../schemas/messages.ts';
import { askOfMessages } from './ask.ts';
import { checkBlocks } from './check-blocks.ts';
import { checkModelLimits, checkOptions } from './check-options.ts';
import { checkSystem } from './check-system.ts';
import { checkThinking } from './check-thinking.ts';
import { streamMessages, wholeMessages } from './render.ts';
import { inThread, keepThread } from './threads.ts';

/**
 * Answers `POST /v1/messages`.
 * @returns a message, or its stream
 * @throws Refused with Anthropic's own error
 */
export function answerMessages(request: VendorRequest, state: SandboxState): VendorAnswer {
  const body = inThread(checkedBody(request, messagesRequest), request, state);
  const [name, model] = lookUp(state, asText(body['model']) ?? '');
  checkBlocks(body);
  checkOptions(body);
  checkModelLimits(body, model);
  checkSystem(body, model);
  checkThinking(body);
  const ask = askOfMessages(body, name, model);
  const tokens = promptTokens(ask);
  if (tokens > model.contextWindow) {
    throw badRequest(`prompt is too long: ${tokens} tokens > ${model.contextWindow} maximum`);
  }
  const script = compose(ask, state.prompts);
  const stamp = stampFor(name, body);
  if (body['thread'] != null && !script.broken) keepThread(body, wholeMessages(script, stamp), state);
  return body['stream'] === true
    ? streamed(streamMessages(script, stamp), script)
    : whole(wholeMessages(script, stamp), script.usage.output);
}
