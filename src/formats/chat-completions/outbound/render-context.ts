/** What every part of a request's renderer must know. */

import type { ModelTraits, Report } from '../../format.ts';
import type { Dialect } from '../dialect.ts';

export interface RenderContext {
  readonly dialect: Dialect;
  readonly target: ModelTraits;
  readonly report: Report;
  /** Whether the caller speaks this format: then turns stand as they were given. */
  readonly exact: boolean;
  /** Whether the model may think: it was not told not to. */
  readonly thinks: boolean;
}
