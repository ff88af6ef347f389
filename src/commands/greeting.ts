/** What a start says. */

import { isEveryAddress } from '../loopback.ts';

export interface Greeting {
  readonly url: string;
  /** Where the admin API is; absent where there is none. */
  readonly admin?: string;
  /** The key that this start has made. */
  readonly made: string | undefined;
  readonly sandboxed: boolean;
  /** The ids of what is served. */
  readonly models: readonly string[];
  /** What should be known of the configuration, in sentences. */
  readonly hints: readonly string[];
}

/** What the request that is shown asks for: the first of them that is served. Accounts of every kind may use these. */
const USUAL = ['anthropic/claude-sonnet-5-5', 'openai/gpt-6-luna', 'google/gemini-3.8-flash'];

/** What a newcomer needs: where it is, that key, and a request that works as pasted. */
export function greeting({ url, admin, made, sandboxed, models, hints }: Greeting): string {
  const lines = [`Gateway on ${url} with ${models.length} models.`];
  if (sandboxed) {
    lines.push('No vendor has a key, so simulated vendors answer (see "Sandbox" in README.md).');
  }
  lines.push(...hints);
  if (admin !== undefined) lines.push(`Admin API on ${admin}.`);
  const { hostname } = new URL(url);
  const here = isEveryAddress(hostname) ? url.replace(hostname, 'localhost') : url;
  if (made === undefined) return [...lines, `Playground: ${here}/`].join('\n');
  const model = USUAL.find((id) => models.includes(id)) ?? models[0] ?? USUAL[0];
  return [
    ...lines,
    '',
    `Your API key, shown this once (only its hash is kept):`,
    '',
    `  ${made}`,
    '',
    'Try it:',
    '',
    `  curl -N ${here}/v1/chat/completions \\`,
    `    -H 'Authorization: Bearer ${made}' \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '{"model":"${model}","stream":true,"messages":[{"role":"user","content":"Hello!"}]}'`,
    '',
    `Or chat in the browser: ${here}/#key=${made}`,
    '',
  ].join('\n');
}
