/** The meaning of an error answer, by its status and by what it says. */

import type { Fault } from '../../lib/errors.ts';
import { findStatusFault } from '../fault-of-status.ts';
import {
  isModelMissing,
  saysAccountIsClosed,
  saysKeyIsWrong,
  saysModelIsMissing,
  saysPromptIsTooLong,
} from '../refusal-words.ts';
import type { ErrorFields } from './error-body.ts';

/**
 * llama.cpp's error for an image or a sound at a model that reads only text: "image input is not supported - hint: if this
 * is unexpected, you may need to provide the mmproj". It gives 400 for most other mistakes of callers (its
 * tools/server/server-common.cpp).
 */
const LACKS_INPUT = /^(?:image|audio|video) input is not supported\b/;

/** The fault that an error answer means. */
export function classifyError(status: number, fields: ErrorFields): Fault {
  if (fields.moderated) return 'invalid-request';
  if (isAboutRequest(status, fields)) return classifyError(400, fields);
  if (isAboutAccount(fields, status)) return 'upstream-auth';
  switch (status) {
    case 400:
    case 422:
      if (isTooLong(fields)) return 'context-too-long';
      if (saysModelIsMissing(fields.message ?? '', fields.type, fields.code)) return 'model-not-found';
      break;
    case 404:
    case 410:
      if (isModelMissing(fields.message, fields.code)) return 'model-not-found';
      break;
    case 429:
      if (isAboutQuota(fields)) return 'quota-exceeded';
      break;
  }
  return findStatusFault(status);
}

function isTooLong({ message = '', code }: ErrorFields): boolean {
  return code === 'context_length_exceeded' || saysPromptIsTooLong(message);
}

/** Alibaba's `Throttling.AllocationQuota` is a limit of a minute ("Best practices for handling rate limiting"). */
function isAboutQuota({ message = '', type, code = '' }: ErrorFields): boolean {
  if (code.startsWith('Throttling')) return false;
  return /quota|billing|credit|balance/i.test(`${type} ${code}`) || saysAccountIsClosed(message);
}

/**
 * Whether a 403 is about the request, so that the key stays in use: xAI refuses a text, Together a text that is too long,
 * OpenAI a model that the key's project may not use. llama.cpp's 500 may be, too.
 */
function isAboutRequest(status: number, { message = '', code }: ErrorFields): boolean {
  if (status !== 403) return status === 500 && LACKS_INPUT.test(message);
  return /^content violates/i.test(message) || saysPromptIsTooLong(message) || code === 'model_not_found';
}

/** Whether the vendor refuses the gateway's own key or account. @see saysAccountIsClosed */
function isAboutAccount({ code, message = '' }: ErrorFields, status: number): boolean {
  if (code === 'invalid_api_key' || code === 'Arrearage') return true;
  return saysKeyIsWrong(message) || (status !== 429 && saysAccountIsClosed(message));
}

/**
 * The HTTP status of an error inside a 200 that names none, by the words of its type and code: OpenAI's (`rate_limit_error`),
 * names of Python's classes (`RateLimitError`) or Alibaba's (`Throttling.RateQuota`).
 */
export function guessStatus({ type = '', code = '' }: ErrorFields): number {
  const words = `${type} ${code}`;
  if (/insufficient_quota|rate_?limit|too_?many_?requests|throttling/i.test(words)) return 429;
  if (/authentication|permission|api_?key/i.test(words)) return 401;
  if (/not_?found/i.test(words)) return 404;
  if (/overloaded|unavailable|capacity/i.test(words)) return 503;
  if (/timeout/i.test(words)) return 504;
  return /invalid|bad_?request|context_length|tool_use_failed|content_filter|policy|image/i.test(words)
    ? 400
    : 502;
}
