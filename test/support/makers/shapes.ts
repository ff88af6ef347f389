/** How vendors, and the services before them, wrap the sentence of a refusal (public issues of their clients). */

import type { Json } from '../../../src/lib/json.ts';

/** A body, with the sentence of a refusal in it. */
export type Shape = (sentence: string) => Json;

export const openaiShape: Shape = (message) => ({
  error: { message, type: 'invalid_request_error', param: null, code: null },
});
const anthropicShape: Shape = (message) => ({
  type: 'error',
  error: { type: 'invalid_request_error', message },
});
const googleShape: Shape = (message) => ({
  error: { code: 400, message, status: 'INVALID_ARGUMENT' },
});
export const groqShape: Shape = (message) => ({ error: { message, type: 'invalid_request_error' } });
export const mistralShape: Shape = (message) => ({
  object: 'error',
  message,
  type: 'invalid_request_message_order',
  param: null,
  code: '3230',
});
const cerebrasShape: Shape = (message) => ({
  message,
  type: 'invalid_request_error',
  param: 'messages',
  code: 'wrong_api_format',
});
export const xaiShape: Shape = (error) => ({ code: 'Client specified an invalid argument', error });
export const vllmShape: Shape = (message) => ({
  error: { message, type: 'BadRequestError', param: null, code: 400 },
});
export const minimaxShape: Shape = (message) => ({
  type: 'error',
  error: { type: 'bad_request_error', message: `invalid params, ${message} (2013)`, http_code: '400' },
});
export const zaiShape: Shape = (message) => ({ error: { code: '1214', message } });
export const perplexityShape: Shape = (message) => ({
  error: { message, type: 'invalid_message', code: 400 },
});
const siliconflowShape: Shape = (message) => ({ code: 20015, message, data: null });
const fastapiShape: Shape = (detail) => ({ detail });
const bedrockShape: Shape = (message) => ({
  message: `The model returned the following errors: ${message}`,
});
const zenmuxShape: Shape = (message) => ({ error: { code: '400', type: 'invalid_params', message } });
const relayShape: Shape = (message) => openaiShape(`${message} (request id: 20260423091322826117827)`);

/** OpenRouter holds what the vendor said as text. */
function openrouterShape(own: Shape): Shape {
  return (sentence) => ({
    error: {
      message: 'Provider returned error',
      code: 400,
      metadata: { raw: JSON.stringify(own(sentence)), provider_name: 'Sandbox' },
    },
  });
}

/** Who wraps: the makers of the four formats. */
export type Family = 'openai' | 'anthropic' | 'google';

/** The shapes in which a vendor's refusals reach a gateway. */
export const SHAPES: Readonly<Record<Family, readonly Shape[]>> = {
  openai: [
    groqShape,
    mistralShape,
    cerebrasShape,
    xaiShape,
    vllmShape,
    siliconflowShape,
    fastapiShape,
    relayShape,
    openrouterShape(openaiShape),
  ],
  anthropic: [bedrockShape, zenmuxShape, fastapiShape, openrouterShape(anthropicShape)],
  google: [(sentence) => [googleShape(sentence)], fastapiShape, openrouterShape(googleShape)],
};

/** Refusals that name nothing: a status in words, or a sentence that fits every fault. */
export const NAMELESS: Readonly<Record<Family, readonly Json[]>> = {
  openai: [
    'Bad Request',
    { detail: 'Bad Request' },
    { error: { message: 'Provider returned error', code: 400 } },
    { error: { code: '1210', message: 'Invalid API parameter, please check the documentation.' } },
    vllmShape('Bad Request'),
  ],
  anthropic: [
    'Bad Request',
    anthropicShape('Bad Request'),
    { error: { message: 'Provider returned error', code: 400 } },
    { error: { code: '1210', message: 'API 调用参数有误，请检查文档。' } },
  ],
  google: [
    'Bad Request',
    googleShape('Request contains an invalid argument.'),
    { error: { message: 'exception parsing response', code: 400, status: 'Bad Request' } },
  ],
};
