/** Where an identity provider may be asked: by what it answers, callers are let in. */

import { isNobodys } from '../../upstream/addresses.ts';
import { isLoopback } from '../../upstream/net/loopback.ts';

/** What `isProviders` wants. */
export const PROVIDERS = 'must be https://…, or http://… on this machine';

/** Whether a provider may be asked there: whoever stood in between on plain http could let in anybody. */
export function isProviders(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || isNobodys(address)) return false;
  const { protocol, hostname, username, password, hash } = url;
  if (username + password + hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** Whether that can be an issuer who tells himself where his keys are: his address has no query. */
export function isIssuer(address: string): boolean {
  return isProviders(address) && !address.includes('?');
}
