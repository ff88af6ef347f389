/** Which addresses of identity providers are accepted. Their answers decide who may come in. */

import { isReserved } from '../../upstream/addresses.ts';
import { isLoopback } from '../../upstream/net/loopback.ts';

/** The condition of `isProviderAddress`, for messages. */
export const PROVIDER_ADDRESS = 'must be https://…, or http://… on this machine';

/** Whether a provider may be asked at an address. On plain http, anybody in between could let in anybody. */
export function isProviderAddress(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || isReserved(address)) return false;
  const { protocol, hostname, username, password, hash } = url;
  if (username + password + hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** Whether an address can be an issuer that publishes its own configuration: it has no query. */
export function isIssuerAddress(address: string): boolean {
  return isProviderAddress(address) && !address.includes('?');
}
