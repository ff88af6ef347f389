/**
 * What a vendor has lately refused in the caller's format since it wants it in another: the next request of the kind is
 * asked so at once, where each would be refused first. For a while only: vendors change.
 */

import type { FormatName } from '../conversation/prompt.ts';
import type { GatewayError } from '../errors.ts';
import type { Routed } from './exchange.ts';

export interface Wanted {
  /** The request as the vendor wants it; itself where nothing else is known. */
  asWanted(routed: Routed): Routed;
  /** The vendor wants such a request in `format`, as it said when it refused this one. */
  remember(routed: Routed, format: FormatName, refusal: GatewayError): void;
}

/** How long it is taken to hold, in milliseconds, and of how many kinds. */
const WHILE = 600_000;
const MOST = 1_000;

/** No word for an effort is longer, in bytes of JSON. */
const LONGEST_EFFORT = 16;

/** @param clock milliseconds, from anywhere. */
export function openWanted(clock: () => number): Wanted {
  const known = new Map<string, { readonly format: FormatName; readonly until: number }>();
  return {
    asWanted(routed) {
      if (known.size === 0 || routed.anew || routed.spoken !== routed.route.format) return routed;
      for (const kind of Object.values(kindsOf(routed))) {
        const found = known.get(kind);
        if (found !== undefined && clock() < found.until) {
          return { ...routed, anew: true, spoken: found.format };
        }
      }
      return routed;
    },
    remember(routed, format, { param }) {
      const { model, reasoning, tools } = kindsOf(routed);
      const kind = param === 'model' ? model : param === 'reasoning' ? reasoning : tools;
      if (kind === undefined) return;
      if (known.size >= MOST) known.clear();
      known.set(kind, { format, until: clock() + WHILE });
    },
  };
}

/** What a refusal may be of: a model, a field of it, or its functions with an effort, which each model has its own of. */
function kindsOf({ model: { id }, fields, body }: Routed) {
  const span = fields.get('reasoning_effort');
  const isWord = span === undefined || span.end - span.start <= LONGEST_EFFORT;
  const effort = span === undefined ? '' : body.toString('latin1', span.start, span.end);
  return {
    model: id,
    ...(fields.has('reasoning') && { reasoning: `${id} reasoning` }),
    ...(fields.has('tools') && isWord && { tools: `${id} tools ${effort}` }),
  };
}
