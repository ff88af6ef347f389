/**
 * Packages that are installed only where somebody wants what they do: optional peers in package.json. Most gateways use
 * no cloud's credentials and send no traces, and those libraries are more than half of all that would be installed.
 */

import { createRequire } from 'node:module';
import { invalidConfig } from '../lib/config-error.ts';

/** The packages by what needs them; the names stand in package.json's peerDependencies too. */
export const OPTIONAL_PACKAGES = {
  aws: ['@aws-sdk/credential-provider-node', '@smithy/core', '@smithy/signature-v4'],
  google: ['google-auth-library'],
  traces: [
    '@opentelemetry/api',
    '@opentelemetry/exporter-trace-otlp-http',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace',
  ],
} as const;

const { resolve } = createRequire(import.meta.url);

/**
 * Makes sure that what is configured can be done, without loading it.
 * @param field what asks for it, as the configuration or the environment calls it
 * @throws ConfigError that says how the missing packages are installed
 */
export function requirePackages(need: keyof typeof OPTIONAL_PACKAGES, field: string): void {
  const missing = OPTIONAL_PACKAGES[need].filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  throw invalidConfig(
    `${field}: needs ${missing.length === 1 ? 'a package that is' : 'packages that are'} not installed: npm install --save-prod ${missing.join(' ')}`,
  );
}

/** A package may keep its main file from `require`; then it is there all the same (ERR_PACKAGE_PATH_NOT_EXPORTED). */
function isInstalled(name: string): boolean {
  try {
    resolve(name);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND');
  }
}
