/** What is known of the model that a request goes to. */

import { makeCatalog, nameAtVendor, vendorName } from '../catalog/catalog.ts';
import { defaultModels } from '../catalog/default.ts';
import { DEFAULT_VENDOR } from '../catalog/default-vendor.ts';
import type { Model } from '../catalog/model.ts';
import type { FormatName } from '../conversation/prompt.ts';
import type { ModelTraits } from '../formats/format.ts';
import { formats } from '../formats/formats.ts';
import { ANTHROPIC_ORIGIN } from '../formats/messages/dialects.ts';
import { wordSet } from '../lib/words.ts';
import type { ModelDescription } from './model-description.ts';
import { offeredTraits } from './model-traits.ts';
import type { FormatSpeaker } from './vendor-format.ts';

/** A model of which nothing is known. Few models write less than this in one answer. */
const UNKNOWN: Omit<ModelTraits, 'model'> = {
  maxOutputTokens: 8192,
  sampling: true,
  structuredOutput: true,
  dialect: '',
};

/** The formats in which vendors of their own formats serve their models themselves. */
const OWN_FORMATS: Readonly<Record<string, FormatSpeaker['formats']>> = {
  openai: ['chat-completions', 'responses'],
  anthropic: ['messages'],
  google: ['generate-content'],
};

/** Vendors that serve their models themselves, in chat-completions. All others only publish theirs. */
const OTHER_SERVICES = wordSet('mistralai deepseek x-ai z-ai qwen moonshotai minimax perplexity cohere');

/** The name of the deviations of a service in front of many vendors. */
const RELAY = 'compatible';

/** What serves a model: its own vendor, or a service in front of many vendors. */
export function chooseSpeaker({ id, dialect }: Model): FormatSpeaker & { readonly dialect: string } {
  const vendor = vendorName(id);
  const isServed = OWN_FORMATS[vendor] !== undefined || OTHER_SERVICES.has(vendor);
  return {
    formats: OWN_FORMATS[vendor] ?? ['chat-completions'],
    dialect: isServed ? (dialect ?? vendor) : RELAY,
  };
}

/** The models that the library knows. */
export const catalog = /* @__PURE__ */ makeCatalog(/* @__PURE__ */ defaultModels());

/**
 * Finds the traits of a model.
 * @param model an id of the catalog, in which the vendor of the format may be left out; the vendor's name of any other
 *   model; or a description.
 * @param to the format of the service. A model of OpenAI, Anthropic or Google in another vendor's format is served by a
 *   service in front of many vendors, which gets the full id; so is a model whose vendor only publishes it.
 */
export function chooseTraits(model: string | ModelDescription, to: FormatName): ModelTraits {
  if (typeof model !== 'string') return { ...UNKNOWN, ...model };
  const known = catalog.resolve(model, DEFAULT_VENDOR[to]);
  if (known === undefined) return { ...UNKNOWN, model };
  const isElsewhere = OWN_FORMATS[vendorName(known.id)]?.includes(to) === false;
  if (isElsewhere || chooseSpeaker(known).dialect === RELAY)
    return offeredTraits(known, { name: known.id, dialect: RELAY });
  const service = formats[to].outbound.serviceTraits?.({ origin: ANTHROPIC_ORIGIN, basePath: '' });
  return offeredTraits(known, { name: nameAtVendor(known), service });
}
