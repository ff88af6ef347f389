/** A vendor: an address, a credential and the formats that it speaks. It is configuration, not code. */

import { modelName, nameAtVendor, vendorName } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import type { FormatName, Operation } from '../conversation/prompt.ts';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.ts';
import type { Cloud } from './credentials/cloud.ts';

/** The header in which a vendor expects its key. */
export type Auth = 'authorization' | 'x-api-key' | 'x-goog-api-key';

export interface Vendor {
  readonly name: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** The prefix of every path at this address: '' or `/v1`, without a slash at its end. */
  readonly basePath: string;
  /** '' if it has `credentials`. */
  readonly key: string;
  readonly auth: Auth;
  /** The cloud whose tokens or signatures replace a key. */
  readonly credentials?: Cloud;
  /** The formats that it speaks. Other formats are translated to the first one. */
  readonly formats: readonly [FormatName, ...FormatName[]];
  /** Whether it gets `<vendor>/<model>` rather than the model's name alone. */
  readonly fullIds: boolean;
  /** Its own names of models, by their names or full ids; `*` for all others. */
  readonly names?: Readonly<Record<string, string>>;
  /**
   * Which translated requests are cached at Claude, whatever the caller asks for. Absent: the default of the service.
   */
  readonly caches?: 'always' | 'agents' | 'asked';
  /** The name of its deviations within its format; absent: the vendor part of the model's id. */
  readonly dialect?: string;
  /** Headers of every request. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** All its addresses and keys, if there are several. */
  readonly upstreams?: readonly Upstream[];
  /** The most exchanges at a time with each of them; absent: no limit. */
  readonly connections?: number;
  /** Whether the sandbox simulates it. */
  readonly simulated?: boolean;
}

/** The name of all simulated vendors in records, reports and metrics; no configured vendor has it. */
export const SANDBOX = 'sandbox';

/** The name of the cache in records: what it answers costs nothing. No configured vendor has it. */
export const CACHE = 'cache';

/** The vendor's name in records. Simulated usage is never counted together with usage that costs money. */
export function recordedName({ name, simulated }: Pick<Vendor, 'name' | 'simulated'>): string {
  return simulated ? SANDBOX : name;
}

/** One address of a vendor, with a key for it. */
export interface Upstream
  extends Pick<Vendor, 'origin' | 'basePath' | 'key'>,
    Partial<Pick<Vendor, 'auth' | 'names' | 'credentials'>> {
  /** Its relative share of the traffic. */
  readonly weight: number;
}

/** Vendors by name. */
export interface Vendors {
  readonly all: readonly Vendor[];
  /** The vendor that serves a model; undefined if none with a key does. */
  serving(model: Pick<Model, 'id'>): Vendor | undefined;
}

/** Vendors whose models only they themselves serve, each in a format of its own. */
const OWN_FORMAT = new Set(['openai', 'anthropic', 'google']);

/**
 * Makes the lookup of vendors.
 * @param compatible the vendor that serves every model whose own vendor is not configured.
 */
export function makeVendors(named: readonly Vendor[], compatible: Vendor | undefined): Vendors {
  const byName = new Map(named.map((vendor) => [vendor.name, vendor]));
  return {
    all: compatible === undefined ? named : [...named, compatible],
    serving(model) {
      const name = vendorName(model.id);
      return byName.get(name) ?? (OWN_FORMAT.has(name) ? undefined : compatible);
    },
  };
}

/** Whether an address is a publisher's at Vertex AI: `…/publishers/google`, `…/publishers/anthropic`. */
export function isVertex({ basePath }: Pick<Vendor, 'basePath'>): boolean {
  return /\/publishers\/[^/]+$/.test(basePath);
}

/** The version of Google's API in the paths of its models. */
const GOOGLE_HOSTS = '/v1beta';

/** The vendor's name of a model. */
export function upstreamName({ names, fullIds }: Vendor, model: Model): string {
  const name = fullIds ? model.id : nameAtVendor(model);
  if (names === undefined) return name;
  const own = [model.id, modelName(model.id)].find((each) => Object.hasOwn(names, each));
  // A function, because `$&` and the like have a meaning in a replacement string.
  return own === undefined ? (names['*']?.replace('*', () => name) ?? name) : (names[own] ?? name);
}

/**
 * Joins a vendor's address and a path. The address may end in the version that the path begins with: some SDKs want it
 * there, others do not, and a service that speaks several formats has one address for all. At Vertex AI the version
 * comes before the publisher ("Method: models.generateContent", Vertex AI documentation).
 */
export function pathAt({ basePath }: Pick<Vendor, 'basePath'>, path: string): string {
  const end = basePath.slice(basePath.lastIndexOf('/'));
  if (basePath.includes('/publishers/') && path.startsWith(GOOGLE_HOSTS))
    return basePath + path.slice(GOOGLE_HOSTS.length);
  return basePath + (end !== '' && path.startsWith(`${end}/`) ? path.slice(end.length) : path);
}

/** The paths of requests, before `pathAt`, in the formats that do not have the model in the path. */
const PATHS: Readonly<
  Record<Exclude<FormatName, 'generate-content'>, { readonly [O in Operation]?: string }>
> = {
  'chat-completions': { generate: '/chat/completions' },
  responses: {
    generate: '/responses',
    compact: '/responses/compact',
    'count-tokens': '/responses/input_tokens',
  },
  messages: { generate: '/v1/messages', 'count-tokens': '/v1/messages/count_tokens' },
};

/**
 * The path of a request for an operation, before `pathAt`.
 * @param stream whether the answer is one.
 * @throws TypeError if the format has no such operation.
 */
export function requestPath(
  format: FormatName,
  operation: Operation,
  model: string,
  stream: boolean,
): string {
  if (format === 'generate-content') {
    const answering = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
    const method = operation === 'count-tokens' ? 'countTokens' : answering;
    return `/v1beta/models/${encodeURIComponent(model)}:${method}`;
  }
  const path = PATHS[format][operation];
  if (path === undefined) throw new TypeError(`There is no ${operation} in ${format}.`);
  return path;
}

/**
 * Splits a base URL into its origin and its path without a slash at the end.
 * @throws TypeError if `url` is not a URL.
 */
export function splitBaseUrl(url: string): { readonly origin: string; readonly basePath: string } {
  const { origin, pathname } = new URL(url);
  return { origin, basePath: withoutTrailingSlashes(pathname) };
}
