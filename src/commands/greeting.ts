/** What a start says. */

export interface Greeting {
  readonly url: string;
  /** Where the admin API is; absent where there is none. */
  readonly admin?: string;
  /** The key that this start has made. */
  readonly made: string | undefined;
  readonly sandboxed: boolean;
  readonly models: number;
  /** What should be known of the configuration, in sentences. */
  readonly hints: readonly string[];
}

/** What a newcomer needs: where it is, that key, and a request that works as pasted. */
export function greeting({ url, admin, made, sandboxed, models, hints }: Greeting): string {
  const lines = [`Gateway on ${url} with ${models} models.`];
  if (sandboxed) {
    lines.push('No vendor has a key, so simulated vendors answer (see "Sandbox" in README.md).');
  }
  lines.push(...hints);
  if (admin !== undefined) lines.push(`Admin API on ${admin}.`);
  if (made === undefined) return [...lines, `Playground: ${url}/`].join('\n');
  return [
    ...lines,
    '',
    `Your API key, shown this once (only its hash is kept):`,
    '',
    `  ${made}`,
    '',
    'Try it:',
    '',
    `  curl -N ${url}/v1/chat/completions \\`,
    `    -H 'Authorization: Bearer ${made}' \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '{"model":"anthropic/claude-sonnet-4-5","stream":true,"messages":[{"role":"user","content":"Hello!"}]}'`,
    '',
    `Or chat in the browser: ${url}/#key=${made}`,
    '',
  ].join('\n');
}
