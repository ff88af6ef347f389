/** What a vendor is shown outside of the request path: its key, or a pass. */

import { credentialOf } from '../headers.ts';
import type { Vendor } from '../vendor.ts';
import type { Headers, Outgoing } from './cloud.ts';
import type { CloudTokens } from './cloud-tokens.ts';

export interface SentCredential {
  readonly headers: Headers;
  /** What of it nobody else may read, where the configuration does not have it. */
  readonly secret?: string;
}

/** @throws GatewayError `upstream-auth` where there is no pass to be had */
export async function credentialFor(
  passes: CloudTokens,
  vendor: Vendor,
  request: Omit<Outgoing, 'origin' | 'headers'> & { readonly headers: Headers },
): Promise<SentCredential> {
  if (vendor.credentials === undefined) return { headers: { [vendor.auth]: credentialOf(vendor) } };
  const pass = await passes.of(vendor);
  const { origin } = vendor;
  const headers = Object.entries(request.headers).flat();
  return { headers: await pass.headersFor({ ...request, origin, headers }), secret: pass.secret };
}
