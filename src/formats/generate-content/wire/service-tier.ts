/** Service tiers: Google's words, and OpenAI's, which the neutral prompt has. */

import { asText, type Json } from '../../../lib/json.ts';
import type { Report } from '../../format.ts';

/** The neutral word for a tier that was asked for or used; undefined where none is told. */
export function parseTier(value: Json | undefined): string | undefined {
  const tier = asText(value)?.toLowerCase();
  if (!tier || tier === 'unspecified') return undefined;
  return tier === 'standard' ? 'default' : tier;
}

/** The word to ask Google with; undefined for a tier it has not, and for `auto`, which is to say nothing. */
export function renderAskedTier(tier: string | undefined, report: Report): string | undefined {
  if (tier === undefined || tier === 'auto') return undefined;
  if (tier === 'default' || tier === 'standard_only') return 'standard';
  // OpenAI has had two names for it since July 2026 (Fast mode).
  if (tier === 'fast') return 'priority';
  if (tier === 'standard' || tier === 'flex' || tier === 'priority') return tier;
  report('serviceTier', 'dropped', `Google has no tier ${tier.slice(0, 40)}`);
  return undefined;
}

/** The word in which an answer tells its tier. */
export function renderUsedTier(tier: string): string {
  return tier === 'default' ? 'standard' : tier;
}
