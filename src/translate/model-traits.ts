/** What a renderer must know about a model of the catalog. */

import { vendorName } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import type { ModelTraits, ServiceTraits } from '../formats/format.ts';

/** How one service offers a model. */
export interface Offer {
  /** The service's name of the model. */
  readonly name: string;
  /** The name of the service's deviations in its format. Absent: those of the model's vendor. */
  readonly dialect?: string;
  readonly service?: ServiceTraits | undefined;
  /** Which requests ask for caching, whatever the caller asks for. Absent: as the service has it. */
  readonly caches?: ServiceTraits['caches'] | 'always' | undefined;
}

/** Collects the traits of a model at a service. All of them have one shape, also where they say nothing. */
export function offeredTraits(model: Model, { name, dialect, service, caches }: Offer): ModelTraits {
  const asksCache = caches ?? service?.caches ?? 'asked';
  return {
    model: name,
    maxOutputTokens: model.maxOutputTokens,
    input: model.input,
    thinking: model.thinking,
    thinkTags: model.thinkTags,
    sampling: model.sampling ?? true,
    prefill: model.prefill,
    forcedTools: model.forcedTools,
    laterSystem: model.laterSystem && service?.laterSystem,
    caches: asksCache === 'asked' ? undefined : asksCache,
    structuredOutput: model.structuredOutput ?? true,
    dialect: dialect ?? model.dialect ?? vendorName(model.id),
  };
}
