/** `--url` and its companion options: any gateway that already runs, with the bench's upstream for its vendors. */

import { refuse } from '../../support/arguments.ts';
import { inWordsOf, type Scenario } from '../scenarios.ts';
import type { Peer } from './peer.ts';

/** The names of models are the gateway's own; a scenario without its model is left out. */
export const urlOptions = {
  /** Its address up to `/chat/completions`, without it. */
  url: { type: 'string' },
  key: { type: 'string' },
  /** Its process id, if it runs on this machine: then its CPU and memory are reported too. */
  pid: { type: 'string' },
  /** What the tables call it. */
  name: { type: 'string' },
  model: { type: 'string', default: 'gpt-4.1' },
  'anthropic-model': { type: 'string' },
  'google-model': { type: 'string' },
  /** The model to request at `/messages`. */
  'messages-model': { type: 'string' },
} as const;

type Given = Readonly<Partial<Record<keyof typeof urlOptions, string | undefined>>>;

export function peerByUrl(given: Given): Peer | undefined {
  if (given.url === undefined) return undefined;
  if (!URL.canParse(given.url)) refuse(`--url: ${given.url} is no URL`);
  const { protocol, hostname, port, pathname } = new URL(given.url);
  const secure = protocol === 'https:';
  const address = { host: hostname, port: Number(port || (secure ? 443 : 80)), secure };
  const path = pathname === '/' ? '/v1' : pathname.replace(/\/$/, '');
  const models: Readonly<Record<Scenario['vendor'], string | undefined>> = {
    openai: given.model,
    anthropic: given['anthropic-model'],
    google: given['google-model'],
    messages: given['messages-model'],
  };
  const headers = given.key === undefined ? {} : { authorization: `Bearer ${given.key}` };
  return {
    name: given.name ?? `${address.host}:${address.port}`,
    version: 'unknown',
    setup: 'already running; it is started once, not anew as the others',
    start: async () => ({
      ...address,
      ...(given.pid !== undefined && { pid: Number(given.pid) }),
      stop: () => undefined,
    }),
    request(scenario) {
      const model = models[scenario.vendor];
      if (model === undefined) return undefined;
      const request = inWordsOf(scenario, model, headers);
      return { ...request, path: `${path}${request.path.slice('/v1'.length)}` };
    },
  };
}
