/** What every part of a request's renderer must know. */

import type { Report, Target } from '../format.ts';

/** Models of OpenAI's that take no union at the root of a function's parameters: those before GPT-5. */
const WITHOUT_UNIONS = /(?:^|\/)(?:gpt-[34]|o\d)/;

export interface Scope {
  /** The plain format, which nobody in particular reads: what OpenAI itself would refuse is kept too. */
  readonly keepsAll: boolean;
  /** Whether the parameters of a function may be one of several objects. */
  readonly takesUnions: boolean;
  /** OpenAI's reasoning models refuse sampling parameters. */
  readonly takesSampling: boolean;
  readonly target: Target;
  readonly report: Report;
}

export function scopeOf(target: Target, report: Report): Scope {
  const keepsAll = target.dialect === '';
  return {
    keepsAll,
    takesUnions: !WITHOUT_UNIONS.test(target.model),
    takesSampling: target.sampling || keepsAll,
    target,
    report,
  };
}
