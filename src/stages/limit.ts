/** No more than the key's limits allow, and how much of them is left told with the answer. */

import { isLimited, type Limits } from '../limits/limits.ts';
import type { Stage } from '../streams/line.ts';
import type { Admitted, Replied, Routed } from './exchange.ts';

/** Refuses what is over a limit of the key; one without limits passes at once. @throws GatewayError */
export function limit(limits: Limits | undefined): Stage<Admitted, Admitted> {
  return (admitted) => {
    const { principal, response, route } = admitted;
    if (limits === undefined || !isLimited(principal.limits)) return admitted;
    return limits.admit(principal, response, route.format).then((allowance) => ({ ...admitted, allowance }));
  };
}

/** The answer of `answer`, with what is left of the key's limits: over what a vendor says of its own. */
export function tellLimits(answer: Stage<Routed, Replied>): Stage<Routed, Replied> {
  return (routed) => {
    const { allowance } = routed;
    return allowance === undefined ? answer(routed) : told(answer(routed), allowance);
  };
}

async function told(
  answer: Replied | Promise<Replied>,
  allowance: Readonly<Record<string, string>>,
): Promise<Replied> {
  const replied = await answer;
  return { ...replied, headers: { ...replied.headers, ...allowance } };
}
