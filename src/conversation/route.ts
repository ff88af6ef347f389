/** What a path of the gateway stands for: a format, and what the request asks for. */

import type { FormatName, Operation } from './prompt.ts';

/** The meaning of one path. */
export interface Route {
  readonly format: FormatName;
  readonly operation: Operation;
}
