/** Service tiers, in Anthropic's words and in those of the prompt, which are OpenAI's. */

import type { Report } from '../../format.ts';

/** Parses the tier that a request asks for (API reference); undefined if the prompt has no word for it. */
export function parseAskedTier(tier: string | undefined): string | undefined {
  if (tier === 'standard_only') return 'default';
  return tier === 'auto' ? tier : undefined;
}

/** Parses the tier that an answer was served in. */
export function parseUsedTier(tier: string): string {
  return tier === 'standard' || tier === 'standard_only' ? 'default' : tier;
}

/** Renders the tier to ask for; undefined, and reported, for one that Anthropic does not have. */
export function renderAskedTier(tier: string | undefined, report: Report): string | undefined {
  if (tier === undefined || tier === 'auto') return tier;
  if (tier === 'default' || tier === 'standard') return 'standard_only';
  report('serviceTier', 'dropped', `Anthropic has no tier ${tier}`);
  return undefined;
}

/** Renders the tier that an answer was served in; null if it is not known, or is one that Anthropic does not have. */
export function renderUsedTier(tier: string | undefined): string | null {
  if (tier === 'default' || tier === 'standard') return 'standard';
  return tier === 'priority' || tier === 'batch' ? tier : null;
}
