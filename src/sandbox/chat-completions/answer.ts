/** A chat completion, from the request to the answer. */

import type { ZodType } from 'zod';
import { asText } from '../../lib/json.ts';
import { promptTokens } from '../caches.ts';
import { checkService } from '../compatible/check-request.ts';
import { compose } from '../compose.ts';
import { objectIn, streamed, type VendorAnswer, type VendorRequest, whole } from '../exchange.ts';
import { checkedBody, modelIn, type OpenaiVendor } from '../openai/request.ts';
import { badRequest } from '../openai/words.ts';
import { type SandboxState, stampFor } from '../sandbox-state.ts';
import { chatRequest, compatibleRequest, deepseekRequest } from '../schemas/chat-completions.ts';
import { askOfChat } from './ask.ts';
import { checkMessages } from './check-messages.ts';
import { checkModelLimits, checkOptions } from './check-options.ts';
import {
  type ChatFlavour,
  compatibleFlavour,
  deepseekFlavour,
  openaiFlavour,
  streamChat,
  wholeChat,
} from './render.ts';

/**
 * Answers `POST /v1/chat/completions`.
 * @returns a chat completion, or its stream
 * @throws Refused with the vendor's own error
 */
export function answerChat(vendor: OpenaiVendor, request: VendorRequest, state: SandboxState): VendorAnswer {
  const body = checkedBody(request, findSchema(vendor, request));
  const { name, model } = modelIn(vendor, state, body);
  if (vendor === 'openai') {
    checkOptions(body);
    checkModelLimits(body, model);
  } else if (request.byMaker) checkService(body, model);
  checkMessages(body, vendor === 'openai');
  const ask = askOfChat(body, name, model);
  if (promptTokens(ask) > model.contextWindow) throw tooLong(promptTokens(ask), model.contextWindow);
  const script = compose(ask, state.prompts);
  const stamp = stampFor(name, body);
  const flavour = findFlavour(vendor, name);
  return body['stream'] === true
    ? streamed(streamChat(script, stamp, flavour), script)
    : whole(wholeChat(script, stamp, flavour), script.usage.output);
}

function findFlavour(vendor: OpenaiVendor, name: string): ChatFlavour {
  if (vendor === 'openai') return openaiFlavour;
  return isDeepseek(name) ? deepseekFlavour : compatibleFlavour;
}

function findSchema(vendor: OpenaiVendor, request: VendorRequest): ZodType {
  if (vendor === 'openai') return chatRequest;
  return isDeepseek(asText(objectIn(request)?.['model']) ?? '') ? deepseekRequest : compatibleRequest;
}

function isDeepseek(name: string): boolean {
  return /^deepseek\//i.test(name);
}

function tooLong(tokens: number, max: number) {
  return badRequest({
    message:
      `This model's maximum context length is ${max} tokens. However, your messages resulted in ${tokens} tokens. ` +
      'Please reduce the length of the messages.',
    param: 'messages',
    code: 'context_length_exceeded',
  });
}
