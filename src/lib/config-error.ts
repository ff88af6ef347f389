/** A configuration that cannot be used. */

/** Its message names the field and says what it should be, in one line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** The field, and what is wrong with it; undefined if no configuration file says that. */
  readonly inFile: string | undefined;

  constructor(message: string, inFile?: string) {
    super(message);
    this.inFile = inFile;
  }
}

const INVALID = 'The configuration is not valid';

/**
 * Makes the error.
 * @param what the field, and what is wrong with it.
 * @param isOfFile false if a variable or an option set the field.
 */
export function invalidConfig(what: string, isOfFile = true): ConfigError {
  return new ConfigError(`${INVALID}: ${what}`, isOfFile ? what : undefined);
}

/** The same error with the name of the configuration file, of which there may be several, if the file is to blame. */
export function namingFile(error: unknown, file: string | undefined): unknown {
  if (!(error instanceof ConfigError) || error.inFile === undefined || file === undefined) return error;
  return new ConfigError(`${INVALID}: ${file}: ${error.inFile}`);
}
