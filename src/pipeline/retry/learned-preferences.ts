/**
 * What vendors have recently said when they refused a request: that they want it in another format, that a model always
 * reasons, takes no reasoning setting or must hide its reasoning, or that its answers are not streamed. The next
 * request of the kind is adapted at once; otherwise each would be refused first.
 */

import type { FormatName } from '../../conversation/prompt.ts';
import type { GatewayError } from '../../lib/errors.ts';
import type { Routed } from '../exchange.ts';
import { isNative } from '../translate-request.ts';
import { openTtlCache } from './ttl-cache.ts';

export interface LearnedPreferences {
  /** Adapts a request to what the vendor has said; returns it unchanged if nothing is known. */
  asWanted(routed: Routed): Routed;
  /** Remembers that the vendor wants such a request in `format`, as it said when it refused this one. */
  remember(routed: Routed, format: FormatName, refusal: GatewayError): void;
  /** Remembers that the vendor does not stream answers of this request's model. */
  rememberWhole(routed: Routed): void;
  /** Remembers what the vendor said about its model's reasoning when it refused this request. */
  rememberThinking(routed: Routed, thinks: Thinks): void;
}

type Thinks = NonNullable<Routed['thinkingObserved']>;

/** The longest value of an effort, in bytes of JSON. */
const LONGEST_EFFORT = 16;

/** Makes an empty memory. @param clock milliseconds since any moment. */
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

/**
 * Changes a request for a stream to one for a non-streaming answer, from which the gateway makes the stream; returns
 * any other unchanged.
 */
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

/** What a refusal may apply to: a model, one of its fields, or its functions combined with an effort. */
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
