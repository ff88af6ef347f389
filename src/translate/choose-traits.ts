/** What is known of the model that a request goes to. */

import { makeCatalog, modelName, vendorName } from '../catalog/catalog.ts';
import { defaultModels } from '../catalog/default.ts';
import { DEFAULT_VENDOR } from '../catalog/default-vendor.ts';
import type { FormatName } from '../conversation/prompt.ts';
import type { ModelTraits } from '../formats/format.ts';
import { formats } from '../formats/formats.ts';
import { ANTHROPIC_ORIGIN } from '../formats/messages/dialects.ts';
import { offeredTraits } from './model-traits.ts';

/** A model that is described instead of looked up. What is left out is not known. */
export type ModelDescription = Pick<ModelTraits, 'model'> & Partial<ModelTraits>;

/** A model of which nothing is known. Few models write less than this in one answer. */
const UNKNOWN: Omit<ModelTraits, 'model'> = {
  maxOutputTokens: 8192,
  sampling: true,
  structuredOutput: true,
  dialect: '',
};

/** The formats in which vendors of their own formats serve their models themselves. */
const OWN_FORMATS: Readonly<Record<string, readonly FormatName[]>> = {
  openai: ['chat-completions', 'responses'],
  anthropic: ['messages'],
  google: ['generate-content'],
};

const catalog = /* @__PURE__ */ makeCatalog(/* @__PURE__ */ defaultModels());

/**
 * Finds the traits of a model.
 * @param model an id of the catalog, in which the vendor of the format may be left out; the vendor's name of any other
 *   model; or a description.
 * @param to the format of the service. A model of OpenAI, Anthropic or Google in another vendor's format is served by a
 *   service in front of many vendors, which gets the full id.
 */
export function chooseTraits(model: string | ModelDescription, to: FormatName): ModelTraits {
  if (typeof model !== 'string') return { ...UNKNOWN, ...model };
  const known = catalog.resolve(model, DEFAULT_VENDOR[to]);
  if (known === undefined) return { ...UNKNOWN, model };
  const isRelayed = OWN_FORMATS[vendorName(known.id)]?.includes(to) === false;
  if (isRelayed) return offeredTraits(known, { name: known.id, dialect: 'compatible' });
  const service = formats[to].outbound.serviceTraits?.({ origin: ANTHROPIC_ORIGIN, basePath: '' });
  return offeredTraits(known, { name: known.upstream ?? modelName(known.id), service });
}
