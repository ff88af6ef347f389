/** No more than the key's limits allow. */

import { isLimited, type Limits } from '../limits/limits.ts';
import type { Stage } from '../streams/line.ts';
import type { Admitted } from './exchange.ts';

/** Refuses what is over a limit of the key; one without limits passes at once. @throws GatewayError */
export function limit(limits: Limits | undefined): Stage<Admitted, Admitted> {
  return (admitted) => {
    const { principal, response, route } = admitted;
    if (limits === undefined || !isLimited(principal.limits)) return admitted;
    const allowance = limits.admit(principal, response, route.format);
    return allowance instanceof Promise
      ? allowance.then((told) => ({ ...admitted, allowance: told }))
      : { ...admitted, allowance };
  };
}
