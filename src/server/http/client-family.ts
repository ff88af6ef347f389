/** Which vendor's client sends a request, judged by the path and the headers, before the body is read. */

import type { CallerRequest } from '../../access/caller.ts';
import type { FormatName } from '../../conversation/prompt.ts';

/** Paths that only Google's clients use, in any version. */
const GOOGLES = /^(?:\/upload)?\/v1(?:alpha|beta)|\/(?:models|tunedModels)\/[^/]+:\w+$/;

/** Paths that only OpenAI's clients use. */
const OPENAIS = /^\/v1\/(?:chat\/completions|responses)/;

/** The format of an error: the path's, or the caller's where several vendors have the path (files, batches). */
export function findFamily(path: string, message: CallerRequest): FormatName {
  if (GOOGLES.test(path)) return 'generate-content';
  if (path.startsWith('/v1/messages')) return 'messages';
  if (OPENAIS.test(path)) return 'chat-completions';
  if (isGoogles(message)) return 'generate-content';
  return isAnthropics(message) ? 'messages' : 'chat-completions';
}

/** Whether Google's client sends it: no other client puts a key in that header. */
export function isGoogles({ headers }: CallerRequest): boolean {
  return headers['x-goog-api-key'] !== undefined || headers['x-vendorc-api-key'] !== undefined;
}

/** Whether Anthropic's client sends it: each of its requests names the version of the API. */
export function isAnthropics({ headers }: CallerRequest): boolean {
  return headers['anthropic-version'] !== undefined || headers['vendorb-version'] !== undefined;
}
