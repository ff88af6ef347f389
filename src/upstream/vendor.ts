/** A vendor: an address, a credential, the formats it speaks. Configuration, no code. */

import { modelName, vendorName } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import type { FormatName } from '../conversation/prompt.ts';
import type { Cloud } from './credentials/cloud.ts';

/** The header a vendor reads its key from. */
export type Auth = 'authorization' | 'x-api-key' | 'x-goog-api-key';

export interface Vendor {
  readonly name: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** What comes before every path at this address: '' or `/v1`, no slash at its end. */
  readonly basePath: string;
  /** '' where it has `credentials`. */
  readonly key: string;
  readonly auth: Auth;
  /** What it is shown instead of a key. */
  readonly credentials?: Cloud;
  /** What it speaks; the first is what other formats are translated to. */
  readonly formats: readonly [FormatName, ...FormatName[]];
  /** Whether it is sent `<vendor>/<model>` rather than the model's name alone. */
  readonly fullIds: boolean;
  /** What it calls models, by their names or full ids, where it has names of its own; `*` for all others. */
  readonly names?: Readonly<Record<string, string>>;
  /** Which translated requests Claude is to cache, whatever their caller says of that; absent: as is best there. */
  readonly caches?: 'always' | 'agents' | 'asked';
  /** Deviation within its format; absent: the vendor part of the model's id. */
  readonly dialect?: string;
  /** Sent with every request. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** All its addresses and keys, where there are several. */
  readonly upstreams?: readonly Upstream[];
  /** Exchanges at a time with each of them; absent: any number. */
  readonly connections?: number;
  /** Whether the sandbox plays it. */
  readonly simulated?: boolean;
}

/** What records, reports and metrics call every simulated vendor; no configured vendor has this name. */
export const SANDBOX = 'sandbox';

/** The vendor's name in records: what nobody pays for is never told together with what somebody does. */
export function recordedName({ name, simulated }: Pick<Vendor, 'name' | 'simulated'>): string {
  return simulated ? SANDBOX : name;
}

/** One address of a vendor, with a key for it. */
export interface Upstream
  extends Pick<Vendor, 'origin' | 'basePath' | 'key'>,
    Partial<Pick<Vendor, 'auth' | 'names' | 'credentials'>> {
  /** How much more than one of weight 1 it is asked for. */
  readonly weight: number;
}

/** Vendors by name. */
export interface Vendors {
  readonly all: readonly Vendor[];
  /** Who serves a model, or undefined where nobody with a key does. */
  serving(model: Pick<Model, 'id'>): Vendor | undefined;
}

/** The vendors whose models are only ever served by themselves, each speaking a format of its own. */
const OWN_FORMAT = new Set(['openai', 'anthropic', 'google']);

/** `compatible` serves every model whose vendor is not named. */
export function vendorsOf(named: readonly Vendor[], compatible: Vendor | undefined): Vendors {
  const byName = new Map(named.map((vendor) => [vendor.name, vendor]));
  return {
    all: compatible === undefined ? named : [...named, compatible],
    serving(model) {
      const name = vendorName(model.id);
      return byName.get(name) ?? (OWN_FORMAT.has(name) ? undefined : compatible);
    },
  };
}

/**
 * The format in which `vendor` is spoken to: the caller's own where it can be, else the first it speaks. But what
 * OpenAI's models think they show, and take back, by `responses` alone ("Reasoning models", OpenAI documentation).
 * @param isKnown whether a service that speaks the caller's format beside its own knows all that is asked in it.
 */
export function spokenFormat(
  vendor: Vendor,
  model: Model,
  asked: FormatName,
  isKnown: () => boolean,
): FormatName {
  const isNative =
    vendor.formats.includes(asked) || (model.endpoints?.some((format) => format === asked) && isKnown());
  return isNative ? asked : translatedFormat(vendor, model);
}

/** The format that what others write is translated to. */
export function translatedFormat({ formats }: Vendor, model: Model): FormatName {
  return model.thinking !== undefined && formats.includes('responses') ? 'responses' : formats[0];
}

/** Whether an address is a publisher's at Vertex AI: `…/publishers/google`, `…/publishers/anthropic`. */
export function isVertex({ basePath }: Pick<Vendor, 'basePath'>): boolean {
  return /\/publishers\/[^/]+$/.test(basePath);
}

/** The version of Google's API in the paths of its models. */
const GOOGLES = '/v1beta';

/** The model as the vendor calls it. */
export function upstreamName({ names, fullIds }: Vendor, model: Model): string {
  const name = fullIds ? model.id : (model.upstream ?? modelName(model.id));
  if (names === undefined) return name;
  const own = [model.id, modelName(model.id)].find((each) => Object.hasOwn(names, each));
  // A replacement that is a text would have signs of its own (`$&`).
  return own === undefined ? (names['*']?.replace('*', () => name) ?? name) : (names[own] ?? name);
}

/**
 * A path at a vendor. Its address may end in the version that the path begins with: some SDKs want that there, others do
 * not, and a service that speaks several formats has one address for all of them. In Vertex AI's the version comes before
 * the publisher ("Method: models.generateContent", Vertex AI documentation).
 */
export function pathAt({ basePath }: Pick<Vendor, 'basePath'>, path: string): string {
  const end = basePath.slice(basePath.lastIndexOf('/'));
  if (basePath.includes('/publishers/') && path.startsWith(GOOGLES))
    return basePath + path.slice(GOOGLES.length);
  return basePath + (end !== '' && path.startsWith(`${end}/`) ? path.slice(end.length) : path);
}

/** Where a vendor is asked for an answer in a format, before `pathAt`; generate-content says it of model and stream. */
export function answerPath(format: FormatName, model: string, stream: boolean): string {
  switch (format) {
    case 'chat-completions':
      return '/chat/completions';
    case 'responses':
      return '/responses';
    case 'messages':
      return '/v1/messages';
    case 'generate-content': {
      const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
      return `/v1beta/models/${encodeURIComponent(model)}:${method}`;
    }
  }
}

/** Where it is asked how many tokens a prompt has. @throws TypeError of chat-completions, which has no such place. */
export function countingPath(format: FormatName, model: string): string {
  switch (format) {
    case 'chat-completions':
      throw new TypeError('Tokens are not counted in chat-completions.');
    case 'responses':
      return '/responses/input_tokens';
    case 'messages':
      return '/v1/messages/count_tokens';
    case 'generate-content':
      return `/v1beta/models/${encodeURIComponent(model)}:countTokens`;
  }
}

/** Base URL as the two parts a request is sent to. @throws TypeError where `url` is none. */
export function splitBaseUrl(url: string): { readonly origin: string; readonly basePath: string } {
  const { origin, pathname } = new URL(url);
  return { origin, basePath: pathname.replace(/\/+$/, '') };
}
