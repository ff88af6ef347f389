/** What every part of the request renderer needs. */

import type { ModelTraits, Report } from '../../format.ts';
import type { Dialect } from '../dialect.ts';

export interface RenderContext {
  readonly dialect: Dialect;
  readonly target: ModelTraits;
  readonly report: Report;
  /** Whether the caller speaks this format. Then the turns stay as the caller wrote them. */
  readonly exact: boolean;
  /** Whether the model may think: the request does not turn thinking off. */
  readonly thinks: boolean;
  /** Whether the request may have temperature, top_p and log probabilities. */
  readonly takesSampling: boolean;
}
