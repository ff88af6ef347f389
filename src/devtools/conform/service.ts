/** The service that is examined: its addresses, and requests to it as a plain client sends them. */

import type { FormatName } from '../../conversation/prompt.ts';
import { ANTHROPIC_VERSION } from '../../formats/messages/dialects.ts';
import { codeBehind } from '../../lib/error-code.ts';
import type { JsonObject } from '../../lib/json.ts';

/** Where and how to ask. */
export interface Service {
  /** The address, with or without the version at its end: `https://api.openai.com/v1`, `http://127.0.0.1:8787`. */
  readonly url: string;
  readonly key: string;
  readonly model: string;
  /** Milliseconds that an answer may take. */
  readonly patience: number;
}

/** An answer as it came. */
export interface ServiceAnswer {
  readonly status: number;
  /** The media type, without parameters and in lower case. */
  readonly type: string;
  readonly text: string;
}

/** The service could not be reached. The message gives the reason. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** The version at the end of an address: `/v1`, `/v1beta`, `/v4`. */
const VERSION = /\/v\d+(?:beta|alpha)?$/;

const PATHS: Readonly<Record<Exclude<FormatName, 'generate-content'>, string>> = {
  'chat-completions': '/chat/completions',
  responses: '/responses',
  messages: '/messages',
};

/** The address for requests of a format. */
export function makeAddress({ url, model }: Service, format: FormatName, stream: boolean): string {
  const base = url.endsWith('/') ? url.slice(0, -1) : url;
  if (format !== 'generate-content') return (VERSION.test(base) ? base : `${base}/v1`) + PATHS[format];
  const root = base.replace(/\/v1$/, '');
  const versioned = VERSION.test(root) ? root : `${root}/v1beta`;
  const name = model.split('/').map(encodeURIComponent).join('/');
  return `${versioned}/models/${name}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
}

/**
 * Sends a request, and waits for the whole answer.
 * @throws Unreachable if there is none in time.
 */
export async function askService(
  service: Service,
  format: FormatName,
  stream: boolean,
  body: JsonObject,
): Promise<ServiceAnswer> {
  try {
    const response = await fetch(makeAddress(service, format, stream), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...credentials(service, format) },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(service.patience),
    });
    const [type = ''] = (response.headers.get('content-type') ?? '').toLowerCase().split(';');
    return { status: response.status, type: type.trim(), text: await response.text() };
  } catch (error) {
    throw new Unreachable(`The service cannot be reached, or broke off${codeBehind(error)}.`, {
      cause: error,
    });
  }
}

function credentials({ key }: Service, format: FormatName): Readonly<Record<string, string>> {
  switch (format) {
    case 'messages':
      return { 'x-api-key': key, 'anthropic-version': ANTHROPIC_VERSION };
    case 'generate-content':
      return { 'x-goog-api-key': key };
    default:
      return { authorization: `Bearer ${key}` };
  }
}
