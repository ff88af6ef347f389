/** The package's main entrance: what a `gateway.config.ts` imports. */

import type { ConfigInput } from './config-input.ts';

export type { ConfigInput };

/**
 * Gives an editor the fields of a configuration, and returns the configuration as it is.
 *
 * ```ts
 * import { defineConfig } from 'fourwire';
 *
 * export default defineConfig({ vendors: { openai: { apiKey: process.env.OPENAI_API_KEY } } });
 * ```
 */
export function defineConfig(config: ConfigInput): ConfigInput {
  return config;
}
