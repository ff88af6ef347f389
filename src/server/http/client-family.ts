/** Which vendor's client sends a request, judged by the path and the headers, before the body is read. */

import type { CallerRequest } from '../../access/caller.ts';
import type { FormatName } from '../../conversation/prompt.ts';

/** Paths that only Google's clients use, in any version. */
const GOOGLE_CLIENTS = /^(?:\/upload)?\/v1(?:alpha|beta)|\/(?:models|tunedModels)\/[^/]+:\w+$/;

/** Paths that only OpenAI's clients use. */
const OPENAI_CLIENTS = /^\/v1\/(?:chat\/completions|responses)/;

/** The format of an error: the path's, or the caller's where several vendors have the path (files, batches). */
export function findFamily(path: string, message: CallerRequest): FormatName {
  if (GOOGLE_CLIENTS.test(path)) return 'generate-content';
  if (path.startsWith('/v1/messages')) return 'messages';
  if (OPENAI_CLIENTS.test(path)) return 'chat-completions';
  if (isGoogleClient(message)) return 'generate-content';
  return isAnthropicClient(message) ? 'messages' : 'chat-completions';
}

/** Whether Google's client sends it: no other client puts a key in that header. */
export function isGoogleClient({ headers }: CallerRequest): boolean {
  return headers['x-goog-api-key'] !== undefined || headers['x-vendorc-api-key'] !== undefined;
}

/** Whether Anthropic's client sends it: each of its requests names the version of the API. */
export function isAnthropicClient({ headers }: CallerRequest): boolean {
  return headers['anthropic-version'] !== undefined || headers['vendorb-version'] !== undefined;
}
