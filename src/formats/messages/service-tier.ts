/** Service tiers: Anthropic's words, and OpenAI's, which the neutral prompt has. */

import type { JsonObject } from '../../json.ts';

/** The neutral word for a tier that was asked for or used. */
export function neutralTier(tier: string): string {
  return tier === 'standard_only' || tier === 'standard' ? 'default' : tier;
}

/** Whether a request may ask for the tier by this name (API reference). */
export function isKnownTier(tier: string): boolean {
  return tier === 'auto' || tier === 'standard_only';
}

/** The word to ask Anthropic with; undefined for a tier it has not. */
export function askedTier(tier: string): string | undefined {
  if (tier === 'default' || tier === 'standard') return 'standard_only';
  return tier === 'auto' ? tier : undefined;
}

/** `{ service_tier }` as an answer's usage tells it, null for a tier Anthropic has not, else nothing: to be spread. */
export function renderTier(tier: string | undefined): JsonObject {
  if (tier === undefined) return {};
  if (tier === 'default' || tier === 'standard') return { service_tier: 'standard' };
  return { service_tier: tier === 'priority' || tier === 'batch' ? tier : null };
}
