/** A chat completion, from the request to the answer. */

import { asText } from '../../lib/json.ts';
import { promptTokens } from '../caches.ts';
import { compose } from '../compose.ts';
import { objectIn, streamed, type VendorAnswer, type VendorRequest, whole } from '../exchange.ts';
import { checkedBody, modelIn, type OpenaiVendor } from '../openai/request.ts';
import { badRequest } from '../openai/words.ts';
import { type SandboxState, stampFor } from '../sandbox-state.ts';
import { chatRequest, compatibleRequest, deepseekRequest } from '../schemas/chat-completions.ts';
import { askOfChat } from './ask.ts';
import { checkMessages } from './check-messages.ts';
import { checkModelLimits, checkOptions } from './check-options.ts';
import { compatibleFlavour, deepseekFlavour, openaiFlavour, streamChat, wholeChat } from './render.ts';

/**
 * Answers `POST /v1/chat/completions`.
 * @returns a chat completion, or its stream
 * @throws Refused with the vendor's own error
 */
export function answerChat(vendor: OpenaiVendor, request: VendorRequest, state: SandboxState): VendorAnswer {
  const { schema, flavour } = SERVICES[findService(vendor, request)];
  const body = checkedBody(request, schema);
  const [name, model] = modelIn(vendor, state, body);
  if (vendor === 'openai') {
    checkOptions(body);
    checkModelLimits(body, model);
  } else state.checkCompatible?.(body, model);
  checkMessages(body, vendor === 'openai');
  const ask = askOfChat(body, name, model);
  if (promptTokens(ask) > model.contextWindow) throw tooLong(promptTokens(ask), model.contextWindow);
  const script = compose(ask, state.prompts);
  const stamp = stampFor(name, body);
  return body['stream'] === true
    ? streamed(streamChat(script, stamp, flavour), script)
    : whole(wholeChat(script, stamp, flavour), script.usage.output);
}

/** What each service accepts, and how it answers. */
const SERVICES = {
  openai: { schema: chatRequest, flavour: openaiFlavour },
  deepseek: { schema: deepseekRequest, flavour: deepseekFlavour },
  compatible: { schema: compatibleRequest, flavour: compatibleFlavour },
};

function findService(vendor: OpenaiVendor, request: VendorRequest): keyof typeof SERVICES {
  const isDeepseek = /^deepseek\//i.test(asText(objectIn(request)?.['model']) ?? '');
  return vendor === 'compatible' && isDeepseek ? 'deepseek' : vendor;
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
