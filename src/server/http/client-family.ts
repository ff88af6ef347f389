/** Which vendor's client asks, as far as that can be told before anything is read: by the path, and by its headers. */

import type { IncomingMessage } from 'node:http';
import type { FormatName } from '../../conversation/prompt.ts';

/** Paths that Google's clients alone ask, whatever their version. */
const GOOGLES = /^(?:\/upload)?\/v1(?:alpha|beta)|\/(?:models|tunedModels)\/[^/]+:\w+$/;

/** Paths that OpenAI's clients alone ask. */
const OPENAIS = /^\/v1\/(?:chat\/completions|responses)/;

/** Whose words an error is said in: those of the path, and where several vendors have it (files, batches), the caller's. */
export function familyOf(path: string, message: IncomingMessage): FormatName {
  if (GOOGLES.test(path)) return 'generate-content';
  if (path.startsWith('/v1/messages')) return 'messages';
  if (OPENAIS.test(path)) return 'chat-completions';
  if (isGoogles(message)) return 'generate-content';
  return isAnthropics(message) ? 'messages' : 'chat-completions';
}

/** Whether it comes from a client of Google's: no other has a key in that header. */
export function isGoogles({ headers }: IncomingMessage): boolean {
  return headers['x-goog-api-key'] !== undefined || headers['x-vendorc-api-key'] !== undefined;
}

/** Whether it comes from a client of Anthropic's, whose every request says the version of the API. */
export function isAnthropics({ headers }: IncomingMessage): boolean {
  return headers['anthropic-version'] !== undefined || headers['vendorb-version'] !== undefined;
}
