/** What a start says. */

import { isEveryAddress } from '../upstream/net/loopback.ts';

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
const USUAL = ['anthropic/claude-sonnet-5-5', 'openai/gpt-6-luna', 'google/gemini-3.8-flash'] as const;

/**
 * What a newcomer needs: where it is, that key, and a request that works as pasted.
 * @param platform as `process.platform` has it: whose shell it is pasted into.
 */
export function greeting(
  { url, admin, made, sandboxed, models, hints }: Greeting,
  platform: string = process.platform,
): string {
  const lines = [`Gateway on ${url} with ${models.length} models.`];
  if (sandboxed) {
    lines.push(
      'No vendor has a key, so simulated vendors answer. For real ones, set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY.',
    );
  }
  lines.push(...hints);
  if (admin !== undefined) lines.push(`Admin API on ${admin}. Dashboard: ${admin}/dashboard`);
  const { hostname } = new URL(url);
  const here = isEveryAddress(hostname) ? url.replace(hostname, 'localhost') : url;
  if (made === undefined) return [...lines, `Playground: ${here}/`].join('\n');
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
    ...request(platform === 'win32', `${here}/v1/chat/completions`, made, model).map((line) => `  ${line}`),
    '',
    `Or chat in the browser: ${here}/#key=${made}`,
    '',
  ].join('\n');
}

/** A request for the shells of POSIX, or for PowerShell. */
function request(isWindows: boolean, url: string, key: string, model: string): readonly string[] {
  const body = `{"model":"${model}","stream":true,"messages":[{"role":"user","content":"Hello!"}]}`;
  // In zsh a bracket stands for files.
  const address = url.includes('[') ? `'${url}'` : url;
  if (!isWindows) {
    return [
      `curl -N ${address} \\`,
      `  -H 'Authorization: Bearer ${key}' \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d '${body}'`,
    ];
  }
  // `curl` alone is another command in Windows PowerShell, and the quotes in an argument are lost there (Microsoft's
  // "about_Parsing", "Passing arguments that contain quote characters"): those in a pipe are not.
  return [
    `'${body}' |`,
    `  curl.exe -N ${address} -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '@-'`,
  ];
}
