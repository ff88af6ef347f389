/**
 * Services with Anthropic's format that differ from the plain one. There is a row for each, found by its address: the models
 * have the same names at all of them.
 */

import type { ModelInPath, ServiceAddress, ServiceTraits } from '../format.ts';

/** Where Anthropic itself serves its models. */
export const ANTHROPIC_ORIGIN = 'https://api.anthropic.com';

/** The version of Anthropic's API that the gateway speaks: the value of the header `anthropic-version`. */
export const ANTHROPIC_VERSION = '2023-06-01';

/**
 * Claude at Vertex AI. The model and the method are in the path. The body has the version in place of the model ("Claude on
 * Vertex AI", platform.claude.com; AnthropicVertex of Anthropic's SDK). A request for a count keeps its model.
 */
const VERTEX_PATHS: ModelInPath = {
  path({ model, operation, stream }) {
    if (operation === 'count-tokens') return '/models/count-tokens:rawPredict';
    // A name with a date has an @, which a path may contain unencoded (RFC 3986, 3.3).
    const name = encodeURIComponent(model).replaceAll('%40', '@');
    return `/models/${name}:${stream ? 'streamRawPredict' : 'rawPredict'}`;
  },
  field: 'anthropic_version',
  // Vertex AI has another name for this version. Later ones have the same name at both.
  value: ({ 'anthropic-version': version = ANTHROPIC_VERSION }) =>
    version === ANTHROPIC_VERSION ? 'vertex-2023-10-16' : version,
  keepsModel: (operation) => operation === 'count-tokens',
};

/** What every service with this format has, unless its row says otherwise. */
const PLAIN: ServiceTraits = { laterSystem: false, caches: 'asked', isReference: false };

interface Dialect {
  readonly isAt: (address: ServiceAddress) => boolean;
  readonly traits: ServiceTraits;
}

const DIALECTS: readonly Dialect[] = [
  {
    isAt: ({ origin }) => origin === ANTHROPIC_ORIGIN,
    // Amazon, Google and Microsoft have begun to accept later system messages, each with some of the models. Not all clouds
    // accept a breakpoint for a whole request ("Prompt caching" guide, automatic caching).
    traits: { laterSystem: true, caches: 'agents', isReference: true },
  },
  {
    isAt: ({ basePath }) => /\/publishers\/[^/]+$/.test(basePath),
    traits: { ...PLAIN, modelInPath: VERTEX_PATHS },
  },
];

/** Finds how the service at an address differs. @see Outbound.serviceTraits */
export function serviceTraits(address: ServiceAddress): ServiceTraits {
  return DIALECTS.find(({ isAt }) => isAt(address))?.traits ?? PLAIN;
}
