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

/** Collects the traits of a model at a service. */
export function offeredTraits(model: Model, { name, dialect, service, caches }: Offer): ModelTraits {
  const asksCache = caches ?? service?.caches ?? 'asked';
  return {
    model: name,
    maxOutputTokens: model.maxOutputTokens,
    ...(model.input !== undefined && { input: model.input }),
    ...(model.thinking !== undefined && { thinking: model.thinking }),
    ...(model.thinkTags !== undefined && { thinkTags: model.thinkTags }),
    sampling: model.sampling ?? true,
    ...(model.prefill !== undefined && { prefill: model.prefill }),
    ...(model.forcedTools !== undefined && { forcedTools: model.forcedTools }),
    ...(model.laterSystem && service?.laterSystem && { laterSystem: true }),
    ...(asksCache !== 'asked' && { caches: asksCache }),
    structuredOutput: model.structuredOutput ?? true,
    dialect: dialect ?? model.dialect ?? vendorName(model.id),
  };
}
