/** What limits count of an exchange that is over. */

import type { Consumption } from '../../access/limits/consumption.ts';
import { sumTokens } from '../../conversation/tokens.ts';
import { isSane } from './cost.ts';
import type { ExchangeRecord, Recorder } from './exchange-record.ts';

/** @returns what to charge; undefined if there is nothing to charge, or no key. */
export function computeConsumption({
  key,
  group,
  tag,
  modelLimits,
  usage,
  cost = 0,
  estimated,
  time,
}: ExchangeRecord): Consumption | undefined {
  if (key === undefined) return undefined;
  const told = isSane(usage) ? Math.round(sumTokens(usage)) : 0;
  const tokens = told + (estimated?.tokens ?? 0);
  const dollars = cost + (estimated?.cost ?? 0);
  return tokens > 0 || dollars > 0
    ? {
        key,
        group,
        ...(tag !== undefined && { tag }),
        ...(modelLimits !== undefined && { modelLimits }),
        tokens,
        cost: dollars,
        time,
      }
    : undefined;
}

/** A recorder that charges each exchange as soon as it is over. */
export function charging(charge: (consumption: Consumption) => void): Recorder {
  return (record) => {
    const consumption = computeConsumption(record);
    if (consumption !== undefined) charge(consumption);
  };
}
