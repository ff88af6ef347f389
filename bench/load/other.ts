/**
 * `--url` and its companion options: another gateway that already runs, with the bench's upstream for its
 * vendors.
 */

import { refuse } from '../support/arguments.ts';
import type { Other } from './contenders.ts';

/** The names of models are the other gateway's own. */
export const otherOptions = {
  /** Its address up to `/chat/completions`, without it. */
  url: { type: 'string' },
  key: { type: 'string' },
  /** Its process id, if it runs on this machine: then its CPU and memory are reported too. */
  pid: { type: 'string' },
  model: { type: 'string', default: 'gpt-4.1' },
  'anthropic-model': { type: 'string' },
  'google-model': { type: 'string' },
  /** The model to request at `/messages`. */
  'messages-model': { type: 'string' },
} as const;

interface Given {
  readonly url?: string | undefined;
  readonly key?: string | undefined;
  readonly pid?: string | undefined;
  readonly model: string;
  readonly 'anthropic-model'?: string | undefined;
  readonly 'google-model'?: string | undefined;
  readonly 'messages-model'?: string | undefined;
}

export function otherGateway(given: Given): Other | undefined {
  if (given.url === undefined) return undefined;
  if (!URL.canParse(given.url)) refuse(`--url: ${given.url} is no URL`);
  const { protocol, hostname, port, pathname } = new URL(given.url);
  const secure = protocol === 'https:';
  const {
    model: openai,
    'anthropic-model': anthropic,
    'google-model': google,
    'messages-model': messages,
  } = given;
  return {
    address: { host: hostname, port: Number(port || (secure ? 443 : 80)), secure },
    path: pathname === '/' ? '/v1' : pathname.replace(/\/$/, ''),
    key: given.key,
    pid: given.pid === undefined ? undefined : Number(given.pid),
    models: {
      openai,
      ...(anthropic !== undefined && { anthropic }),
      ...(google !== undefined && { google }),
      ...(messages !== undefined && { messages }),
    },
  };
}
