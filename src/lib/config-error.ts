/** A configuration that cannot be used. */

/** Its message names the field and says what it should be, in one line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Makes the error. @param what the field, and what is wrong with it. */
export function invalidConfig(what: string): ConfigError {
  return new ConfigError(`The configuration is not valid: ${what}`);
}
