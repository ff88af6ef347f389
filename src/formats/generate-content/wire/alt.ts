/**
 * The system parameter `alt`, also written `$alt`: how an answer is written
 * (https://cloud.google.com/apis/docs/system-parameters). Google's generated clients for Python ask for
 * `$alt=json;enum-encoding=int` (gapic-generator-python, REST transport).
 */

import type { Query } from '../../../lib/query.ts';

/** How an answer is to be written. */
export interface Alt {
  /** Whether a stream is one of server-sent events; otherwise it is one JSON list. */
  readonly isSse: boolean;
  /** Whether enums are numbers. */
  readonly hasNumbers: boolean;
}

/** The names of the parameter. */
export const ALT_NAMES = ['alt', '$alt'] as const;

/** Reads the parameter, under either name. */
export function parseAlt(query: Query): Alt {
  const said = ALT_NAMES.flatMap((name) => query.getAll(name)).flatMap((value) => value.split(';'));
  return { isSse: said.includes('sse'), hasNumbers: said.includes('enum-encoding=int') };
}
