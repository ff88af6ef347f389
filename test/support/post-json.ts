/** A request as most callers send it: JSON by POST, with a key. */

import { KEY } from './gateway.ts';

export interface PostOptions {
  readonly key?: string;
  /** Headers besides those of the key and of the type. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | null;
}

/** Posts `body`, a text as it is and anything else as JSON. */
export function postJson(
  url: string,
  body: unknown,
  { key = KEY, headers = {}, signal = null }: PostOptions = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal,
  });
}
