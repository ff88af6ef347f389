/** Service tiers: Google's words, and OpenAI's, which the neutral prompt uses. */

import { asText, type Json } from '../../../lib/json.ts';
import type { Report } from '../../format.ts';

/** The neutral word for a tier that was asked for or used; undefined if the field names none. */
export function parseTier(value: Json | undefined): string | undefined {
  const tier = asText(value)?.toLowerCase();
  if (!tier || tier === 'unspecified') return undefined;
  return tier === 'standard' ? 'default' : tier;
}

/**
 * The word that asks Google for a tier; undefined for `auto`, which is the default, and for a tier Google does not
 * have.
 */
export function renderAskedTier(tier: string | undefined, report: Report): string | undefined {
  if (tier === undefined || tier === 'auto') return undefined;
  if (tier === 'default' || tier === 'standard_only') return 'standard';
  // OpenAI has two names for it since July 2026 (Fast mode).
  if (tier === 'fast') return 'priority';
  if (tier === 'standard' || tier === 'flex' || tier === 'priority') return tier;
  report('serviceTier', 'dropped', `Google has no tier ${tier.slice(0, 40)}`);
  return undefined;
}

/** The word for the tier in an answer's `usageMetadata`. */
export function renderUsedTier(tier: string): string {
  return tier === 'default' ? 'standard' : tier;
}
