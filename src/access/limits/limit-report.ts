/** The limits that apply to a caller, with what is spent of their budgets. */

import type { KeyLimits } from '../../store/keys/key-limits.ts';
import type { AccountKind } from './limit-holder.ts';
import type { Spent } from './spending.ts';

export interface LimitReport {
  readonly of: AccountKind;
  /** The name of the key or of the group. */
  readonly name: string;
  /** The models that the limits cover; absent means all. */
  readonly models?: string;
  readonly limits: KeyLimits;
  readonly spent: Spent;
}
