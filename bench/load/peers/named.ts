/** `--peers NAME[@VERSION][=PATH],…`: the peers that the bench knows how to start. */

import { refuse } from '../../support/arguments.ts';
import { litellm } from './litellm.ts';
import { oneApi } from './one-api.ts';
import type { Named, Peer } from './peer.ts';
import { portkey } from './portkey.ts';

const PEERS = { litellm, portkey, 'one-api': oneApi } as const satisfies Record<
  string,
  (named: Named) => Peer
>;

const isKnown = (name: string): name is keyof typeof PEERS => Object.hasOwn(PEERS, name);

/** Those of a list. What has to be installed is installed when it is first started. */
export function peersNamed(list: string, upstream: number): readonly Peer[] {
  return list.split(',').map((said) => {
    const [, name = '', version, program] = /^([\w-]+)(?:@([^=]+))?(?:=(.+))?$/.exec(said) ?? [];
    if (!isKnown(name)) {
      return refuse(`--peers: ${said} is none of ${Object.keys(PEERS).join(', ')}; --url takes any other`);
    }
    return PEERS[name]({ version, program, upstream });
  });
}
