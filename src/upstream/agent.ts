/** The connections to vendors. */

import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, type Dispatcher, EnvHttpProxyAgent, type Pool } from 'undici';
import { isAllowed } from './addresses.ts';
import { directNetworks } from './direct-networks.ts';
import { OriginAgent } from './origin-agent.ts';
import { ProxyPool } from './proxy-pool.ts';
import { type Resolve, shareLookups } from './shared-lookups.ts';
import { openSpareConnections } from './spare-connections.ts';
import { shareTlsContext, type VendorTls } from './tls-context.ts';

export interface AgentOptions {
  /** Milliseconds to make a connection, with the name lookup and TLS. */
  readonly connect: number;
  /** Hosts that are known to be on the public internet. */
  readonly publicHosts: ReadonlySet<string>;
  /** The proxy between the gateway and the vendors; absent if there is none. */
  readonly proxy?: VendorProxy;
  /** The certificates of vendors that need their own, by the origin of their address. */
  readonly tls?: ReadonlyMap<string, VendorTls>;
  /** The origins whose connections carry many exchanges at once, if the server offers HTTP/2. Not through a proxy. */
  readonly http2?: ReadonlySet<string>;
  /** Resolves names. The results are not cached, so that a repaired name is used at once. */
  readonly lookup?: Resolve;
  /** Called when a name resolves only to addresses that the gateway must not connect to. */
  readonly onRefused?: () => void;
}

/** A proxy that opens tunnels (RFC 9110, 9.3.6) to vendors at https addresses. */
export interface VendorProxy {
  readonly url: string;
  /** Hosts and networks that are connected to directly, in the syntax of NO_PROXY; this machine always is. */
  readonly except: string;
}

/**
 * How long a connection is kept without a request, in milliseconds, unless its server says how long (`Keep-Alive`). If the
 * server closes it sooner, a request that is just on its way is lost and sent again (`retries.after`). Uvicorn, which
 * serves many local models, closes after 5 s (its setting `timeout_keep_alive`).
 */
const IDLE = 4_000;

/**
 * The same for the vendors of the catalog: longer than most people take for the next turn of a dialogue, which would
 * otherwise wait for a new connection and its TLS handshake, 50 to 150 ms. The networks before them keep a connection for
 * 400 s (Cloudflare, "Connection limits"), 610 (Google, "Request distribution") or, by default, 60 (AWS's load
 * balancers), and gateways to the internet forget one after 240 s and more (Azure's load balancer, AWS's NAT gateway).
 */
const IDLE_PUBLIC = 120_000;

/**
 * How long one address of a name is tried before the next one, in milliseconds. Node gives up each address but the last
 * after 250 or 500 ms, by its version, and a vendor far away or behind a slow network needs more (nodejs/node#54359). It
 * also needs more if its first packet is lost, which systems send again after a second (RFC 6298).
 */
const ADDRESS_TIMEOUT = 1_500;

/** Options of a connection with this much time. A third of it at most is one address's, so that others have their turn. */
export function connectTimeouts(timeout: number) {
  return { timeout, autoSelectFamilyAttemptTimeout: Math.min(ADDRESS_TIMEOUT, Math.ceil(timeout / 3)) };
}

/**
 * Makes the pool of connections, which are kept between requests. It connects to no address that `isAllowed` refuses.
 * The caller must destroy it at the end.
 */
export function openAgent({
  connect,
  publicHosts,
  proxy,
  tls = new Map(),
  http2 = new Set(),
  lookup: resolve = lookup,
  onRefused,
}: AgentOptions): OriginAgent {
  const spares = openSpareConnections();
  const checked = checkedLookup(publicHosts, shareLookups(resolve), onRefused);
  const open = (own?: VendorTls, allowH2 = false): Dispatcher => {
    const tlsContext = shareTlsContext(own);
    const factory = (url: string | URL, options: Pool.Options): Pool => {
      const { protocol, hostname } = new URL(url);
      return spares.pool(url, {
        ...options,
        // The agent of a proxy gives a function.
        ...(protocol === 'https:' &&
          typeof options.connect === 'object' && {
            connect: { ...options.connect, secureContext: tlsContext() },
          }),
        keepAliveTimeout: publicHosts.has(hostname) ? IDLE_PUBLIC : IDLE,
      });
    };
    const direct: Agent.Options = {
      connect: { ...connectTimeouts(connect), lookup: checked, preferH2: allowH2 },
      // Unless it is asked for, a connection carries one answer at a time: one that stalls or breaks affects no other.
      allowH2,
      factory,
    };
    return proxy === undefined
      ? new Agent(direct)
      : openProxied(proxy, connect, { ...direct, requestTls: { secureContext: tlsContext() } });
  };
  const main = open();
  const shared = proxy === undefined ? http2 : new Set<string>();
  const special = new Map(
    [...new Set([...tls.keys(), ...shared])].map((origin) => [
      origin,
      open(tls.get(origin), shared.has(origin)),
    ]),
  );
  const find = (origin: string): Dispatcher => special.get(origin) ?? main;
  return new OriginAgent(find, [main, ...special.values(), spares], spares.left);
}

/**
 * An agent for a proxy to https addresses.
 * @param connect milliseconds to make a connection
 * @param options as for the agents of undici, which it makes with them
 */
export function openProxied(
  { url, except }: VendorProxy,
  connect: number,
  options: EnvHttpProxyAgent.Options = {},
): Dispatcher {
  const timeouts = connectTimeouts(connect);
  const whole: EnvHttpProxyAgent.Options & { readonly connectTimeout: number } = {
    connect: timeouts,
    ...options,
    connectTimeout: connect,
    proxyTls: { ...timeouts, ...(url.startsWith('https:') && { secureContext: shareTlsContext()() }) },
    clientFactory: (origin, given) => new ProxyPool(origin, given, connect),
  };
  const proxied = new EnvHttpProxyAgent({
    ...whole,
    // The proxy also resolves the names of vendors.
    httpsProxy: url,
    // Set to nothing, so that undici does not read it from the environment.
    httpProxy: '',
    noProxy: `${LOOPBACK} ${except}`,
  });
  // undici compares names, addresses and ports, and knows no networks.
  const isDirect = directNetworks(except);
  if (isDirect === undefined) return proxied;
  const direct = new Agent(whole);
  return new OriginAgent((origin) => (isDirect(origin) ? direct : proxied), [proxied, direct]);
}

/** This machine is never reached through a proxy. */
const LOOPBACK = 'localhost 127.0.0.1 ::1';

/**
 * Makes a lookup that gives only addresses the gateway may connect to. The check happens when it connects, not before.
 * @param publicHosts hosts that must not resolve to a private address.
 * @param onRefused called if every address of a name was refused.
 */
export function checkedLookup(
  publicHosts: ReadonlySet<string>,
  resolve: Resolve,
  onRefused: () => void = () => {},
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const good = addresses.filter(({ address }) => isAllowed(address, publicHosts.has(hostname)));
      const [first] = good;
      if (first === undefined) {
        if (addresses.length > 0) onRefused();
        return callback(new Error('The name resolves to no address that the gateway may connect to.'), '', 0);
      }
      if (options.all) callback(null, good);
      else callback(null, first.address, first.family);
    });
  };
}
