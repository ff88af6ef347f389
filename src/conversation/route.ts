/** What a path of the gateway stands for. */

import type { FormatName, Operation } from './prompt.ts';

export interface Route {
  readonly format: FormatName;
  readonly operation: Operation;
}
