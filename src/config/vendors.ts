/** The vendors of a configuration: the well-known ones with their defaults, and any others that it names. */

import { ANTHROPIC_ORIGIN } from '../formats/messages/dialects.ts';
import type { AgentOptions, VendorProxy } from '../upstream/agent.ts';
import { isEveryAddress, isLoopback } from '../upstream/net/loopback.ts';
import type { VendorTls } from '../upstream/tls-context.ts';
import { makeVendors, splitBaseUrl, type Upstream, type Vendor, type Vendors } from '../upstream/vendor.ts';
import { cloudAt, type GivenCredentials } from './credentials.ts';
import type { Config } from './schema.ts';
import { tlsByOrigin } from './vendor-tls.ts';

type Defaults = Pick<Vendor, 'auth' | 'formats' | 'fullIds'> & { readonly baseUrl?: string };

/** The defaults of a vendor: a service with its own models that speaks chat-completions. */
const USUAL: Defaults = { auth: 'authorization', formats: ['chat-completions'], fullIds: false };

/** What is known of vendors, by the names that their models' ids begin with. Addresses are those of their documents. */
const KNOWN: Readonly<Record<string, Partial<Defaults>>> = {
  openai: { baseUrl: 'https://api.openai.com/v1', formats: ['chat-completions', 'responses'] },
  anthropic: { baseUrl: ANTHROPIC_ORIGIN, auth: 'x-api-key', formats: ['messages'] },
  google: {
    baseUrl: 'https://generativelanguage.googleapis.com',
    auth: 'x-goog-api-key',
    formats: ['generate-content'],
  },
  mistralai: { baseUrl: 'https://api.mistral.ai/v1' },
  deepseek: { baseUrl: 'https://api.deepseek.com/v1' },
  'x-ai': { baseUrl: 'https://api.x.ai/v1' },
  'z-ai': { baseUrl: 'https://api.z.ai/api/paas/v4' },
  qwen: { baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1' },
  moonshotai: { baseUrl: 'https://api.moonshot.ai/v1' },
  minimax: { baseUrl: 'https://api.minimax.io/v1' },
  perplexity: { baseUrl: 'https://api.perplexity.ai' },
  cohere: { baseUrl: 'https://api.cohere.ai/compatibility/v1' },
  compatible: { fullIds: true },
};

function defaultsFor(name: string): Defaults {
  return { ...USUAL, ...(Object.hasOwn(KNOWN, name) && KNOWN[name]) };
}

/** The names of the vendors whose address is known. */
export const KNOWN_VENDORS: readonly string[] = Object.keys(KNOWN);

/** The address of a vendor and what it takes to be let in there. The sandbox gives its own places. */
export interface Place extends Partial<Pick<Vendor, 'auth' | 'names' | 'simulated'>> {
  readonly baseUrl: string;
  /** '' if it has credentials instead. */
  readonly apiKey: string;
  readonly credentials?: GivenCredentials;
}

/** The vendors that have a key, or credentials. A vendor without either serves nothing. */
export function configuredVendors(config: Config): Vendors {
  const places: Record<string, Place> = {};
  for (const name of Object.keys(config.vendors)) {
    const [first] = findPlaces(name, config);
    if (first !== undefined) places[name] = first;
  }
  return vendorsAt(places, config);
}

/** The name of a vendor that has a key but no address, if there is one. */
export function vendorWithoutAddress(config: Config): string | undefined {
  return Object.keys(config.vendors).find((name) =>
    findWritten(name, config).some(({ baseUrl }) => baseUrl === undefined),
  );
}

/** The name of a vendor whose address is that of this gateway itself, if there is one. */
export function vendorAtItself(config: Config): string | undefined {
  return Object.keys(config.vendors).find((name) =>
    findPlaces(name, config).some(({ baseUrl }) => isOwn(new URL(baseUrl), config)),
  );
}

function isOwn({ protocol, hostname, port }: URL, { host, port: own, tls }: Config): boolean {
  const [scheme, usual] = tls === undefined ? (['http:', 80] as const) : (['https:', 443] as const);
  if (protocol !== scheme || Number(port || usual) !== own) return false;
  const listening = host.includes(':') ? `[${host}]` : host;
  return hostname === listening || (isLoopback(hostname) && (isEveryAddress(host) || isLoopback(host)));
}

/** Every address of a vendor for which there is a key or credentials, the vendor's own first. */
function findPlaces(name: string, config: Config): readonly ConfiguredPlace[] {
  return findWritten(name, config).flatMap(({ baseUrl, ...rest }) =>
    baseUrl === undefined ? [] : [{ baseUrl, ...rest }],
  );
}

/** The same, also where the address is missing. */
function findWritten(
  name: string,
  config: Config,
): readonly (Omit<ConfiguredPlace, 'baseUrl'> & { readonly baseUrl: string | undefined })[] {
  const { baseUrl, apiKey, credentials, tls, upstreams = [] } = config.vendors[name] ?? {};
  const own = baseUrl ?? defaultsFor(name).baseUrl;
  const first: Config['vendors'][string]['upstreams'][number] = {
    apiKey,
    baseUrl,
    weight: 1,
    ...(credentials !== undefined && { credentials }),
  };
  // A variable that upstreams name is often the vendor's own too, and its key would get more than its share.
  const isListed = upstreams.some(
    (each) => each.apiKey !== undefined && each.apiKey === apiKey && (each.baseUrl ?? own) === own,
  );
  return (isListed ? upstreams : [first, ...upstreams]).flatMap(
    ({ apiKey, baseUrl = own, apiKeyFile: _, ...rest }) =>
      apiKey === undefined && rest.credentials === undefined
        ? []
        : [{ baseUrl, apiKey: apiKey ?? '', ...(tls && { tls }), ...rest }],
  );
}

/** A place with what only the configuration knows of it. */
type ConfiguredPlace = Place & Pick<Config['vendors'][string], 'tls'> & { readonly weight: number };

/**
 * The certificates of vendors that need their own, by the origin of their address.
 * @throws ConfigError if they cannot be used as they are written.
 */
export function vendorTls(config: Config): ReadonlyMap<string, VendorTls> {
  return tlsByOrigin(
    Object.keys(config.vendors).flatMap((vendor) =>
      findPlaces(vendor, config).map(({ baseUrl, tls }) => ({ vendor, baseUrl, ...(tls && { tls }) })),
    ),
  );
}

/** The origins of the vendors whose connections may carry many exchanges. */
function http2Origins(config: Config): ReadonlySet<string> {
  const names = Object.keys(config.vendors).filter((name) => config.vendors[name]?.http2);
  return new Set(
    names.flatMap((name) => findPlaces(name, config).map(({ baseUrl }) => new URL(baseUrl).origin)),
  );
}

/** Every known vendor, with or without a key, for commands that only show what would be sent where. */
export function everyVendor(config: Config): Vendors {
  const places: Record<string, Place> = {};
  for (const name of new Set([...Object.keys(KNOWN), ...Object.keys(config.vendors)])) {
    const { baseUrl, apiKey = '' } = config.vendors[name] ?? {};
    places[name] = { baseUrl: baseUrl ?? defaultsFor(name).baseUrl ?? 'http://localhost', apiKey };
  }
  return vendorsAt(places, config);
}

/** The host names of the well-known vendors whose address the configuration does not change. */
export function publicHosts(config: Config): ReadonlySet<string> {
  const urls = Object.entries(KNOWN).flatMap(([name, { baseUrl }]) =>
    baseUrl === undefined || config.vendors[name]?.baseUrl !== undefined ? [] : [baseUrl],
  );
  return new Set(urls.map((url) => new URL(url).hostname));
}

/** The options for `openAgent`, which connects to vendors. */
export function agentOptions(config: Config): AgentOptions {
  const proxy = findProxy(config);
  return {
    connect: config.timeouts.connect,
    publicHosts: publicHosts(config),
    tls: vendorTls(config),
    http2: http2Origins(config),
    ...(proxy !== undefined && { proxy }),
  };
}

/** The proxy to https addresses; undefined if there is none. */
export function findProxy({ proxy: { url, except } }: Pick<Config, 'proxy'>): VendorProxy | undefined {
  return url === undefined ? undefined : { url, except };
}

/** The vendors at the given places, with all other settings from the configuration. */
export function vendorsAt(places: Readonly<Record<string, Place>>, config: Config): Vendors {
  const all = Object.entries(places).map(([name, place]) => vendorAt(name, place, config));
  return makeVendors(
    all.filter((vendor) => vendor.name !== 'compatible'),
    all.find((vendor) => vendor.name === 'compatible'),
  );
}

function vendorAt(name: string, place: Place, config: Config): Vendor {
  const { baseUrl, apiKey } = place;
  const defaults = defaultsFor(name);
  const set = config.vendors[name];
  const dialect = set?.dialect ?? dialectAt(baseUrl);
  const places = findPlaces(name, config);
  // With several upstreams, each has its own `auth` and `names`, which do not apply to the others.
  const { auth = defaults.auth, names } = places.length > 1 ? { ...set } : { ...set, ...place };
  return {
    name,
    ...splitBaseUrl(baseUrl),
    key: apiKey,
    auth,
    formats: set?.formats ?? defaults.formats,
    fullIds: set?.fullIds ?? defaults.fullIds,
    ...(dialect !== undefined && { dialect }),
    headers: inLowerCase(set?.headers ?? {}),
    ...(places.length > 1 && { upstreams: places.map((each) => upstreamAt(each, config)) }),
    ...credentialsAt(place, config),
    ...(set?.connections !== undefined && { connections: set.connections }),
    ...(names !== undefined && { names }),
    ...(set?.caching !== undefined && { caches: set.caching }),
    ...(place.simulated && { simulated: true }),
  };
}

/** Headers with names in lower case, as requests have them: otherwise one would be sent next to its namesake, not instead. */
function inLowerCase(headers: Vendor['headers']): Vendor['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function upstreamAt(place: ConfiguredPlace, config: Config): Upstream {
  const { baseUrl, apiKey, credentials: _, tls: __, ...rest } = place;
  return { ...splitBaseUrl(baseUrl), key: apiKey, ...rest, ...credentialsAt(place, config) };
}

/** The credentials of a place, if it has any, completed from its address and the proxy. */
function credentialsAt({ baseUrl, credentials }: Place, config: Config): Pick<Vendor, 'credentials'> {
  return credentials === undefined ? {} : { credentials: cloudAt(baseUrl, credentials, findProxy(config)) };
}

/** The dialect of a well-known service that offers models of many vendors; undefined for other addresses. */
function dialectAt(baseUrl: string): string | undefined {
  const { hostname } = new URL(baseUrl);
  return hostname === 'openrouter.ai' || hostname.endsWith('.openrouter.ai') ? 'openrouter' : undefined;
}
