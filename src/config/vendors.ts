/** The vendors a configuration gives: the known ones with their defaults, and any others it names. */

import { splitBaseUrl, type Vendor, type Vendors, vendorsOf } from '../vendors/vendor.ts';
import type { Config } from './schema.ts';

type Defaults = Pick<Vendor, 'auth' | 'formats' | 'fullIds'> & { readonly baseUrl?: string };

const KNOWN: Readonly<Record<string, Defaults>> = {
  openai: {
    baseUrl: 'https://api.openai.com/v1',
    auth: 'authorization',
    formats: ['chat-completions', 'responses'],
    fullIds: false,
  },
  anthropic: {
    baseUrl: 'https://api.anthropic.com',
    auth: 'x-api-key',
    formats: ['messages'],
    fullIds: false,
  },
  google: {
    baseUrl: 'https://generativelanguage.googleapis.com',
    auth: 'x-goog-api-key',
    formats: ['generate-content'],
    fullIds: false,
  },
  compatible: { auth: 'authorization', formats: ['chat-completions'], fullIds: true },
};

/** A service of one vendor's models that speaks chat-completions. */
const OTHER: Defaults = { auth: 'authorization', formats: ['chat-completions'], fullIds: false };

/** Where a vendor is, when it is not where it usually is: the sandbox's address and key. */
export interface Place {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** The vendors that have a key. A vendor without one serves nothing. */
export function configuredVendors(config: Config): Vendors {
  const places: Record<string, Place> = {};
  for (const [name, { baseUrl, apiKey }] of Object.entries(config.vendors)) {
    const url = baseUrl ?? KNOWN[name]?.baseUrl;
    if (apiKey !== undefined && url !== undefined) places[name] = { baseUrl: url, apiKey };
  }
  return vendorsAt(places, config);
}

/** Every known vendor, with or without a key: for whoever only wants to know what would be sent where. */
export function everyVendor(config: Config): Vendors {
  const places: Record<string, Place> = {};
  for (const name of new Set([...Object.keys(KNOWN), ...Object.keys(config.vendors)])) {
    const { baseUrl, apiKey = '' } = config.vendors[name] ?? {};
    places[name] = { baseUrl: baseUrl ?? KNOWN[name]?.baseUrl ?? 'http://localhost', apiKey };
  }
  return vendorsAt(places, config);
}

/** The vendors at given places, with whatever else the configuration says of them. */
export function vendorsAt(places: Readonly<Record<string, Place>>, config: Config): Vendors {
  const all = Object.entries(places).map(([name, place]) => vendorAt(name, place, config));
  return vendorsOf(
    all.filter((vendor) => vendor.name !== 'compatible'),
    all.find((vendor) => vendor.name === 'compatible'),
  );
}

function vendorAt(name: string, { baseUrl, apiKey }: Place, config: Config): Vendor {
  const defaults = (Object.hasOwn(KNOWN, name) && KNOWN[name]) || OTHER;
  const set = config.vendors[name];
  const dialect = set?.dialect ?? dialectAt(baseUrl);
  return {
    name,
    ...splitBaseUrl(baseUrl),
    key: apiKey,
    auth: set?.auth ?? defaults.auth,
    formats: set?.formats ?? defaults.formats,
    fullIds: set?.fullIds ?? defaults.fullIds,
    ...(dialect !== undefined && { dialect }),
    headers: set?.headers ?? {},
  };
}

/** The dialect of a well-known service in front of many vendors; undefined elsewhere. */
function dialectAt(baseUrl: string): string | undefined {
  const { hostname } = new URL(baseUrl);
  return hostname === 'openrouter.ai' || hostname.endsWith('.openrouter.ai') ? 'openrouter' : undefined;
}
