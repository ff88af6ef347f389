/** The request to the vendor about a stored response: a method and a path, and no body. */

import { isConfined } from '../access/principal.ts';
import { requestHeaders } from '../upstream/headers.ts';
import { Payload } from '../upstream/payload.ts';
import { pathAt } from '../upstream/vendor.ts';
import type { Prepared, Stored } from './exchange.ts';
import { passedOn } from './request/native-request.ts';
import { withoutParameters } from './restrictions/metered.ts';

/**
 * Makes the stage that prepares the request. What the caller has sent as a body goes to nobody, since none of these
 * requests has one.
 */
export function askStored(): (call: Stored) => Prepared {
  return (call) => {
    const { vendor, upstreamFormat, stored, principal, query, message } = call;
    const caller = isConfined(principal) ? withoutParameters(message.headers) : message.headers;
    const stream = query.get('stream') === 'true';
    return {
      ...call,
      method: stored.method,
      path: pathAt(vendor, stored.path) + passedOn(query),
      headers: requestHeaders(vendor, upstreamFormat, {
        caller,
        owner: principal.name,
        stream,
        isBodiless: true,
      }),
      payload: new Payload([], stream),
    };
  };
}
