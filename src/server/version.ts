/** Which version of the program this is. */

import about from '../../package.json' with { type: 'json' };

/** The version in package.json, which the build takes with it. */
export function version(): string {
  return about.version;
}
