/**
 * What a vendor has lately refused in the caller's format since it wants it in another, and of which models it has said
 * that they think always, or take no word on it, or that their answers are not streamed: the next request of the kind is asked so at once, where each would be
 * refused first.
 */

import type { FormatName } from '../../conversation/prompt.ts';
import type { GatewayError } from '../../lib/errors.ts';
import type { Routed } from '../exchange.ts';
import { isNative } from '../translate-request.ts';
import { openTtlCache } from './ttl-cache.ts';

export interface LearnedPreferences {
  /** The request as the vendor wants it; itself where nothing else is known. */
  asWanted(routed: Routed): Routed;
  /** The vendor wants such a request in `format`, as it said when it refused this one. */
  remember(routed: Routed, format: FormatName, refusal: GatewayError): void;
  /** The vendor streams no answer of this request's model. */
  rememberWhole(routed: Routed): void;
  /** The vendor has said so of its model when it refused this one. */
  rememberThinking(routed: Routed, thinks: Thinks): void;
}

type Thinks = NonNullable<Routed['thinkingObserved']>;

/** No word for an effort is longer, in bytes of JSON. */
const LONGEST_EFFORT = 16;

/** @param clock milliseconds, from anywhere. */
export function openLearnedPreferences(clock: () => number): LearnedPreferences {
  const known = openTtlCache<FormatName>(clock);
  const thinking = openTtlCache<Thinks>(clock);
  const whole = openTtlCache<true>(clock);
  return {
    asWanted(given) {
      const asked = whole.isEmpty() || !whole.of(given.model.id) ? given : askedWhole(given);
      const thinks = thinking.isEmpty() ? undefined : thinking.of(asked.model.id);
      const routed: Routed = thinks === undefined ? asked : { ...asked, thinkingObserved: thinks };
      if (known.isEmpty() || routed.mustTranslate || routed.upstreamFormat !== routed.route.format)
        return routed;
      for (const kind of Object.values(kindsOf(routed))) {
        const format = known.of(kind);
        if (format !== undefined) return { ...routed, mustTranslate: true, upstreamFormat: format };
      }
      return routed;
    },
    remember(routed, format, { param }) {
      const { model, reasoning, tools } = kindsOf(routed);
      const kind = param === 'model' ? model : param === 'reasoning' ? reasoning : tools;
      if (kind !== undefined) known.remember(kind, format);
    },
    rememberWhole: ({ model }) => whole.remember(model.id, true),
    rememberThinking: ({ model }, thinks) => thinking.remember(model.id, thinks),
  };
}

/** A request for a stream as one for a whole answer, of which a stream is made; any other as it is. */
function askedWhole(routed: Routed): Routed {
  const { fields, body, named } = routed;
  const span = fields.get('stream');
  const asks =
    named === undefined
      ? span && body.toString('latin1', span.start, span.end) === 'true'
      : named.method.startsWith('stream');
  if (!asks) return routed;
  return { ...routed, wantsWholeAnswer: true, ...(isNative(routed) && { mustTranslate: true }) };
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
