/**
 * Services whose generateContent is not quite the Gemini API's, a row each. The differences at Vertex AI are those of
 * `…ToVertex` in `@google/genai`.
 */

import type { Prompt } from '../../conversation/prompt.ts';
import { type ModelTraits, unreported } from '../format.ts';
import { renderAskedTier } from './wire/service-tier.ts';

/** How a service deviates. An absent field means: as the Gemini API does it. */
interface Dialect {
  /** The header that asks for a service tier. Absent: `serviceTier` in the body asks for it. */
  readonly tierHeader?: string;
  /** The fields of a request that `countTokens` takes. Absent: it takes the whole request inside its own. */
  readonly countedFields?: readonly string[];
  /** Whether `fileData` with a URL needs a media type. Absent: the service finds out by itself. */
  readonly needsMediaType?: boolean;
  /** Whether `googleSearch` takes `excludeDomains`. */
  readonly excludesDomains?: boolean;
  /** Whether functions and a search go in one request without `includeServerSideToolInvocations`, which it refuses. */
  readonly mixesToolsUnasked?: boolean;
  /** Whether it takes schemas in the OpenAPI subset only (`parameters`, `responseSchema`). */
  readonly openApiSchemas?: boolean;
  /** Whether parts take `mediaResolution` for every model. Absent: from Gemini 3 on. */
  readonly alwaysTakesResolution?: boolean;
}

const GEMINI_API: Dialect = {};

const DIALECTS: ReadonlyMap<string, Dialect> = new Map<string, Dialect>([
  ['', { alwaysTakesResolution: true }],
  [
    'vertex',
    {
      // "Flex PayGo" and "Priority PayGo": the words of the Gemini API in the body are a 400.
      tierHeader: 'x-vertex-ai-llm-shared-request-type',
      countedFields: ['contents', 'systemInstruction', 'tools', 'generationConfig'],
      needsMediaType: true,
      excludesDomains: true,
      mixesToolsUnasked: true,
    },
  ],
  ['openapi-schema', { openApiSchemas: true }],
]);

/** How the service that a request goes to deviates. */
export function findDialect({ dialect }: ModelTraits): Dialect {
  return DIALECTS.get(dialect) ?? GEMINI_API;
}

/** @see Outbound.renderHeaders */
export function renderHeaders(
  { serviceTier }: Prompt,
  target: ModelTraits,
): Readonly<Record<string, string>> {
  const { tierHeader } = findDialect(target);
  const tier = tierHeader === undefined ? undefined : renderAskedTier(serviceTier, unreported);
  return tierHeader === undefined || tier === undefined || tier === 'standard' ? {} : { [tierHeader]: tier };
}
