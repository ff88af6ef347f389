/**
 * Packages that are installed only if their features are wanted: optional peer dependencies in package.json. Most
 * gateways use no cloud's credentials and send no traces, and those libraries would be more than half of what is
 * installed.
 */

import { createRequire } from 'node:module';
import { invalidConfig } from '../lib/config-error.ts';

/** The packages that each feature needs. The names are also in package.json's peerDependencies. */
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
 * Checks that the packages of a configured feature are installed, without loading them.
 * @param field the setting that needs them, as the configuration or the environment names it.
 * @throws ConfigError that says how to install the missing packages.
 */
export function requirePackages(need: keyof typeof OPTIONAL_PACKAGES, field: string): void {
  const missing = OPTIONAL_PACKAGES[need].filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  throw invalidConfig(
    `${field}: needs ${missing.length === 1 ? 'a package that is' : 'packages that are'} not installed: npm install --save-prod ${missing.join(' ')}`,
  );
}

/** A package may hide its main file from `require` and is installed all the same (ERR_PACKAGE_PATH_NOT_EXPORTED). */
function isInstalled(name: string): boolean {
  try {
    resolve(name);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND');
  }
}
