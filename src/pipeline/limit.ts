/** Keeps a key and its group to their limits. */

import { isLimited } from '../access/limits/limited.ts';
import type { Limits } from '../access/limits/limits.ts';
import type { Stage } from '../streams/chain.ts';
import type { Admitted } from './exchange.ts';

/**
 * Makes the stage that refuses what is over a limit of the key or its group. A request passes at once if neither has
 * any.
 * @throws GatewayError
 */
export function limit(limits: Limits | undefined): Stage<Admitted, Admitted> {
  return (admitted) => {
    const { principal, response, route } = admitted;
    if (limits === undefined || !isLimited(principal)) return admitted;
    const allowed = limits.admit(principal, response, route.format);
    return allowed instanceof Promise
      ? allowed.then((passed) => ({ ...admitted, ...passed }))
      : { ...admitted, ...allowed };
  };
}
