/** A configuration that cannot be used. */

/** Says which field, and what it should be, in one line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** @param what the field, and what is wrong with it. */
export function invalidConfig(what: string): ConfigError {
  return new ConfigError(`The configuration is not valid: ${what}`);
}
