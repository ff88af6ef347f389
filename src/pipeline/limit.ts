/** No more than the limits of the key and of its group allow. */

import { isLimited } from '../access/limits/limited.ts';
import type { Limits } from '../access/limits/limits.ts';
import type { Stage } from '../streams/chain.ts';
import type { Admitted } from './exchange.ts';

/** Refuses what is over a limit of the key or of its group; where neither has any, it passes at once. @throws GatewayError */
export function limit(limits: Limits | undefined): Stage<Admitted, Admitted> {
  return (admitted) => {
    const { principal, response, route } = admitted;
    if (limits === undefined || !isLimited(principal)) return admitted;
    const allowed = limits.admit(principal, response, route.format);
    return allowed instanceof Promise
      ? allowed.then((told) => ({ ...admitted, ...told }))
      : { ...admitted, ...allowed };
  };
}
