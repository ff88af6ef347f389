/** What an exchange took that the limits of its key and of the key's group count. */

import { sumOf } from '../../conversation/tokens.ts';
import { isSane } from './cost.ts';
import type { ExchangeRecord } from './exchange-record.ts';

export interface Taken {
  /** Name of the key. */
  readonly key: string;
  /** Name of the group that it was of. */
  readonly group?: string | undefined;
  /** Full id of the model that answered; absent where none was resolved. */
  readonly model?: string | undefined;
  /** Input and output. */
  readonly tokens: number;
  /** US dollars. */
  readonly cost: number;
  /** When it began, milliseconds since 1970. */
  readonly time: number;
}

/** Undefined where there is nothing to be charged, or nobody to charge it to. */
export function takenBy({
  key,
  group,
  model,
  usage,
  cost = 0,
  estimated,
  time,
}: ExchangeRecord): Taken | undefined {
  if (key === undefined) return undefined;
  const told = isSane(usage) ? Math.round(sumOf(usage)) : 0;
  const tokens = told + (estimated?.tokens ?? 0);
  const dollars = cost + (estimated?.cost ?? 0);
  return tokens > 0 || dollars > 0 ? { key, group, model, tokens, cost: dollars, time } : undefined;
}
