/** Service tiers: Anthropic's words, and OpenAI's, which the neutral prompt has. */

import type { JsonObject } from '../../../lib/json.ts';
import type { Report } from '../../format.ts';

/** The neutral word for a tier that a request asks for; undefined of a name that none has there (API reference). */
export function parseAskedTier(tier: string | undefined): string | undefined {
  if (tier === 'standard_only') return 'default';
  return tier === 'auto' ? tier : undefined;
}

/** The neutral word for the tier that an answer tells. */
export function parseUsedTier(tier: string): string {
  return tier === 'standard' || tier === 'standard_only' ? 'default' : tier;
}

/** The word to ask Anthropic with; undefined for a tier it has not. */
export function renderAskedTier(tier: string | undefined, report: Report): string | undefined {
  if (tier === undefined || tier === 'auto') return tier;
  if (tier === 'default' || tier === 'standard') return 'standard_only';
  report('serviceTier', 'dropped', `Anthropic has no tier ${tier}`);
  return undefined;
}

/** `{ service_tier }` as an answer's usage tells it, null for a tier Anthropic has not, else nothing: to be spread. */
export function renderUsedTier(tier: string | undefined): JsonObject {
  if (tier === undefined) return {};
  if (tier === 'default' || tier === 'standard') return { service_tier: 'standard' };
  return { service_tier: tier === 'priority' || tier === 'batch' ? tier : null };
}
