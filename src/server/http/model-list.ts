/** The model lists, in the form that each family of clients reads. */

import type { z } from 'zod';
import type { Principal } from '../../access/principal.ts';
import { modelName, vendorName } from '../../catalog/catalog.ts';
import type { Model } from '../../catalog/model.ts';
import { findPrices } from '../../catalog/prices-at.ts';
import type { Query } from '../../lib/query.ts';
import type { Gateway } from '../../pipeline/gateway.ts';
import { countsIn } from '../../pipeline/model/native-format.ts';
import { notSupported } from '../../pipeline/model/not-supported.ts';
import { reaches } from '../../pipeline/model/reach.ts';
import { anthropicPage, googlePage } from './model-pages.ts';
import type { googleModel, googleModelList, listedModel, modelList, pricedModels } from './model-views.ts';

/** What a request for models asks. */
export interface AskedList {
  /** The path, without the query. */
  readonly path: string;
  readonly query: Query;
  /** Whether Anthropic's client asks, which reads the fields of its API. */
  readonly anthropic: boolean;
}

/**
 * `GET /v1/models`: the models that the key may use.
 * @throws GatewayError `invalid-request` if Anthropic's client asks for a page that cannot be
 */
export function listModels(
  gateway: Gateway,
  principal: Principal,
  { query, anthropic }: AskedList,
): z.output<typeof modelList> {
  const models = allowed(gateway, principal);
  if (!anthropic) return { object: 'list', data: models.map((model) => renderModel(model, false)) };
  const { items, more } = anthropicPage(models, query);
  return {
    object: 'list',
    data: items.map((model) => renderModel(model, true)),
    has_more: more,
    first_id: items[0]?.id ?? null,
    last_id: items.at(-1)?.id ?? null,
  };
}

/** `GET /v1/models/<vendor>/<model_name>`, or a short id. @throws GatewayError `model-not-found` */
export function oneModel(
  gateway: Gateway,
  principal: Principal,
  asked: string,
  anthropic: boolean,
): z.output<typeof listedModel> {
  const defaultVendor = anthropic ? 'anthropic' : 'openai';
  return renderModel(findModel(gateway, principal, asked, defaultVendor), anthropic);
}

/**
 * `GET /v1beta/models`: the models that the generate-content endpoint serves.
 * @throws GatewayError `invalid-request` if it asks for a page that cannot be
 */
export function listGoogleModels(
  gateway: Gateway,
  principal: Principal,
  { query }: AskedList,
): z.output<typeof googleModelList> {
  const models = allowed(gateway, principal).filter((model) => isReached(gateway, model));
  const { items, more } = googlePage(models, query);
  const last = items.at(-1);
  return {
    models: items.map((model) => renderGoogleModel(gateway, model)),
    ...(more && last !== undefined && { nextPageToken: last.id }),
  };
}

/** `GET /v1beta/models/{model}`. @throws GatewayError `model-not-found` */
export function oneGoogleModel(
  gateway: Gateway,
  principal: Principal,
  asked: string,
): z.output<typeof googleModel> {
  const model = findModel(gateway, principal, asked, 'google');
  if (!isReached(gateway, model)) throw notSupported(asked, 'google');
  return renderGoogleModel(gateway, model);
}

/** The models that the key may use, for the console. Prices are in US dollars per million tokens. */
export function listPricedModels(gateway: Gateway, principal: Principal): z.output<typeof pricedModels> {
  const models = allowed(gateway, principal).map((model) => {
    const {
      id,
      name,
      aliases = [],
      prices,
      thinking,
      sampling = true,
      contextWindow,
      maxOutputTokens,
    } = model;
    const { input, structuredOutput = true } = model;
    return {
      id,
      name,
      aliases: [...aliases],
      prices: findPrices(prices, Date.now()),
      simulated: gateway.vendors.serving(model)?.simulated === true,
      ...(thinking !== undefined && { thinking: settableThinking(thinking) }),
      sampling,
      contextWindow,
      maxOutputTokens,
      ...(input !== undefined && { input: [...input] }),
      structuredOutput,
      generateContent: isReached(gateway, model),
    };
  });
  return { models };
}

/** What the console's settings need to know of a model's reasoning. */
function settableThinking({ kinds, efforts, canDisable, budget }: NonNullable<Model['thinking']>) {
  return { kinds, efforts, canDisable, ...(budget !== undefined && { budget }) };
}

function allowed({ catalog }: Gateway, principal: Principal): readonly Model[] {
  return catalog.models.filter((model) => principal.allows(model.id, catalog.otherNames));
}

function isReached({ options }: Gateway, model: Pick<Model, 'id'>): boolean {
  return reaches(options, 'generate-content', model);
}

function findModel({ catalog }: Gateway, principal: Principal, asked: string, defaultVendor: string): Model {
  const model = catalog.resolve(asked, defaultVendor);
  // A model that the key may not use answers like one that does not exist: it is not in the key's list either.
  if (model === undefined || !principal.allows(model.id, catalog.otherNames))
    throw notSupported(asked, defaultVendor);
  return model;
}

function renderModel(model: Model, anthropic: boolean): z.output<typeof listedModel> {
  const standard = {
    id: model.id,
    object: 'model' as const,
    created: model.created,
    owned_by: vendorName(model.id),
    // OpenAI has neither field. Agents read them by the names that OpenRouter and Groq use, and guess a window if they
    // are missing.
    context_length: model.contextWindow,
    max_completion_tokens: model.maxOutputTokens,
    ...(model.shutdown !== undefined && { shutdown_date: model.shutdown }),
  };
  if (!anthropic) return standard;
  // Anthropic's SDKs declare all these fields. A model past its day stays `deprecated`, since the gateway does not refuse it.
  return {
    ...standard,
    type: 'model',
    display_name: model.name,
    created_at: new Date(model.created * 1000).toISOString(),
    lifecycle: model.shutdown === undefined ? 'active' : 'deprecated',
    deprecated_at: null,
    retires_at: model.shutdown === undefined ? null : new Date(model.shutdown).toISOString(),
    line: null,
    capabilities: null,
    max_input_tokens: model.contextWindow,
    max_tokens: model.maxOutputTokens,
  };
}

function renderGoogleModel({ vendors, options }: Gateway, model: Model): z.output<typeof googleModel> {
  const name = modelName(model.id);
  const vendor = vendors.serving(model);
  const counts = vendor !== undefined && countsIn('generate-content', vendor, options) !== undefined;
  return {
    name: `models/${vendorName(model.id) === 'google' ? name : model.id}`,
    version: name,
    displayName: model.name,
    inputTokenLimit: model.contextWindow,
    outputTokenLimit: model.maxOutputTokens,
    supportedGenerationMethods: counts ? ['generateContent', 'countTokens'] : ['generateContent'],
    ...(model.thinking !== undefined && { thinking: true }),
  };
}
