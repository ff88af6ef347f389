/** The greeting of a start. */

import { count } from '../lib/count.ts';
import { isEveryAddress } from '../upstream/net/loopback.ts';

export interface Greeting {
  readonly url: string;
  /** The address of the admin API; absent: there is none. */
  readonly admin?: string;
  /** The key that this start has created. */
  readonly made: string | undefined;
  readonly sandboxed: boolean;
  /** The ids of the models that are served. */
  readonly models: readonly string[];
  /** Sentences on what the operator should know about the configuration. */
  readonly hints: readonly string[];
}

/** Models for the example request, which uses the first one that is served. Accounts of every kind may use these. */
const USUAL = ['anthropic/claude-sonnet-5-5', 'openai/gpt-6-luna', 'google/gemini-3.8-flash'] as const;

/**
 * What a newcomer needs: the address, the key, and a request that works as pasted.
 * @param platform a value of `process.platform`: it decides which shell the request is written for.
 */
export function greeting(
  { url, admin, made, sandboxed, models, hints }: Greeting,
  platform: string = process.platform,
): string {
  const lines = [`Gateway on ${url} with ${count(models.length, 'model')}.`];
  if (sandboxed) {
    lines.push(
      'No vendor has a key, so simulated vendors answer. To use real ones, set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, here or in a file .env.',
    );
  }
  lines.push(...hints);
  if (admin !== undefined)
    lines.push(`Admin API on ${admin}. Console with administration: ${fromHere(admin)}/`);
  const here = fromHere(url);
  if (made === undefined) return [...lines, `Console: ${here}/`].join('\n');
  const model = USUAL.find((id) => models.includes(id)) ?? models[0] ?? USUAL[0];
  return [
    ...lines,
    '',
    `Your API key. Save it now: only its hash is stored, so it cannot be shown again.`,
    '',
    `  ${made}`,
    '',
    platform === 'win32' ? 'Try it, in PowerShell:' : 'Try it:',
    '',
    ...exampleRequest(platform === 'win32', `${here}/v1/chat/completions`, made, model).map(
      (line) => `  ${line}`,
    ),
    '',
    `Or chat in the browser: ${here}/#key=${made}`,
    '',
  ].join('\n');
}

/** An address as programs on this machine reach it: a browser may refuse the one that stands for all interfaces. */
function fromHere(url: string): string {
  const { hostname } = new URL(url);
  return isEveryAddress(hostname) ? url.replace(hostname, 'localhost') : url;
}

/** The lines of an example request, for a POSIX shell or for PowerShell. */
function exampleRequest(isWindows: boolean, url: string, key: string, model: string): readonly string[] {
  const body = `{"model":"${model}","stream":true,"messages":[{"role":"user","content":"Hello!"}]}`;
  // zsh expands unquoted brackets to file names.
  const address = url.includes('[') ? `'${url}'` : url;
  if (!isWindows) {
    return [
      `curl -N ${address} \\`,
      `  -H 'Authorization: Bearer ${key}' \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d '${body}'`,
    ];
  }
  // In Windows PowerShell, `curl` alone is another command, and quotes inside an argument are lost (Microsoft's
  // "about_Parsing", "Passing arguments that contain quote characters"). Quotes in a pipe are kept.
  return [
    `'${body}' |`,
    `  curl.exe -N ${address} -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '@-'`,
  ];
}
