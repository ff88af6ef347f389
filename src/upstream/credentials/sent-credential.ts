/** The credential for requests to a vendor outside of the request path: its key, or a token. */

import { renderCredential } from '../headers.ts';
import type { Vendor } from '../vendor.ts';
import type { Headers, Outgoing } from './cloud.ts';
import type { CloudTokens } from './cloud-tokens.ts';

export interface SentCredential {
  readonly headers: Headers;
  /** A secret in the headers, if it does not stem from the configuration. */
  readonly secret?: string;
}

/**
 * @returns the headers that authenticate a request to `vendor`. @throws GatewayError `upstream-auth` if no token can be
 * fetched.
 */
export async function credentialFor(
  cloudTokens: CloudTokens,
  vendor: Vendor,
  request: Omit<Outgoing, 'origin' | 'headers'> & { readonly headers: Headers },
): Promise<SentCredential> {
  if (vendor.credentials === undefined) return { headers: { [vendor.auth]: renderCredential(vendor) } };
  const token = await cloudTokens.get(vendor);
  const { origin } = vendor;
  const headers = Object.entries(request.headers).flat();
  return { headers: await token.headersFor({ ...request, origin, headers }), secret: token.secret };
}
