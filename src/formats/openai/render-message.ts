/** The words of an error: OpenAI's sentences, by which clients decide, before those of another vendor. */

import { type GatewayError, MAX_RETRY_WAIT } from '../../lib/errors.ts';
import { findOverflow } from '../overflow.ts';
import { saysImageIsUnreadable } from '../refusal-words.ts';

/** Renders the message of an error. */
export function renderMessage(error: GatewayError): string {
  const { fault, message, retryAfter = Number.POSITIVE_INFINITY } = error;
  if (fault === 'context-too-long') return renderTooLong(message);
  if (saysImageIsUnreadable(error)) return renderUnreadable(message);
  // Within a stream there is no header. Codex reads the wait here (openai/codex, codex-rs/codex-api/src/sse).
  const isShort = fault === 'rate-limited' && retryAfter <= MAX_RETRY_WAIT;
  return isShort && !/try again in \d/i.test(message)
    ? `${message} Please try again in ${retryAfter}s.`
    : message;
}

/** OpenAI's newer sentence, and the beginning of its older one: LiteLLM and pydantic-ai know only that. */
const UNMEASURED =
  "Your input exceeds the context window of this model, because this model's maximum context length is smaller.";

function renderTooLong(message: string): string {
  if (/maximum context length is \d|exceeds the context window/i.test(message)) return message;
  const overflow = findOverflow(message);
  if (overflow === undefined) return `${UNMEASURED} ${message}`;
  const { prompt, answer, limit } = overflow;
  const used =
    answer === undefined
      ? `your messages resulted in ${prompt} tokens`
      : `you requested ${prompt + answer} tokens (${prompt} in the messages, ${answer} in the completion)`;
  return `This model's maximum context length is ${limit} tokens. However, ${used}. ${message}`;
}

/** Codex takes the image out of the dialogue, and goes on (openai/codex, codex-rs/codex-api/src/api_bridge.rs). */
function renderUnreadable(message: string): string {
  const isOpenAIs = /image data you provided does not represent|expected a base64-encoded data url/i.test(
    message,
  );
  return isOpenAIs ? message : `The image data you provided does not represent a valid image. ${message}`;
}
