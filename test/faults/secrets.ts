/** What no caller may read of a vendor's failure, and failures that contain it in every field and spelling. */

import type { FormatName } from '../../src/conversation/prompt.ts';
import type { Json } from '../../src/lib/json.ts';
import { sseText } from '../../src/streams/sse.ts';

/** Recognized by their shapes: keys, a password in a URL, addresses of private networks. */
export const SECRETS = [
  'sk-proj-abcdefghijklmnop0123',
  'AIzaSyA1234567890123456789012345678901',
  'hunter2hunter2',
  '10.11.12.13',
  'fd12:3456:789a::1',
  'fe80::1ff:fe23:4567:890a',
] as const;

/** The same in a sentence. */
export const LEAKS = `${SECRETS[0]} ${SECRETS[1]} https://admin:${SECRETS[2]}@proxy.example/ at ${SECRETS[3]}:80, [${SECRETS[4]}]:8080 and ${SECRETS[5]}%eth0`;

/** JSON text whose secrets and slashes are written with escapes. */
export function withEscapes(text: string): string {
  const escaped = (character: string): string =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text
    .replaceAll(
      /vendor-key|sk-proj|AIza|hunter2|10\.11|fd12|fe80/g,
      (found) => escaped(found[0] ?? '') + found.slice(1),
    )
    .replaceAll('/', '\\/');
}

/** An error body of a format that has `text` in each of its texts. */
export function failureBody(format: FormatName, text: string): Json {
  switch (format) {
    case 'chat-completions':
    case 'responses':
      return { error: { message: text, type: 'invalid_request_error', param: text, code: text } };
    case 'messages':
      return {
        type: 'error',
        error: { type: 'invalid_request_error', message: text, details: { error_code: text } },
        request_id: text,
      };
    case 'generate-content': {
      const fieldViolations = [{ field: text, description: text }];
      const details = [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }];
      return { error: { code: 400, status: 'INVALID_ARGUMENT', message: text, details } };
    }
  }
}

/** The same as an event of a stream. */
export function lateFailure(format: FormatName, text: string): string {
  const body = failureBody(format, text);
  if (format === 'responses') {
    const event = { type: 'error', code: text, message: text, param: text, sequence_number: 9 };
    return sseText({ event: 'error', data: JSON.stringify(event) });
  }
  return sseText({ ...(format === 'messages' && { event: 'error' }), data: JSON.stringify(body) });
}
