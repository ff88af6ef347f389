/** The model lists, in the words of each family's clients. */

import type { Principal } from '../../access/principal.ts';
import { modelName, vendorName } from '../../catalog/catalog.ts';
import type { Model } from '../../catalog/model.ts';
import { pricesAt } from '../../catalog/prices-at.ts';
import { compact, type JsonObject } from '../../lib/json.ts';
import type { Gateway } from '../../pipeline/gateway.ts';
import { countingFormat } from '../../pipeline/native-format.ts';
import { reaches } from '../../pipeline/reach.ts';
import { notSupported } from '../../pipeline/resolve-model.ts';

/** `GET /v1/models`: what the key may use; with what Anthropic's clients read where one asks. */
export function listModels(gateway: Gateway, principal: Principal, anthropic: boolean): JsonObject {
  const models = allowed(gateway, principal);
  const data = models.map((model) => renderModel(model, anthropic));
  if (!anthropic) return { object: 'list', data };
  return {
    object: 'list',
    data,
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  };
}

/** `GET /v1/models/<vendor>/<model_name>`, or a short id. @throws GatewayError `model-not-found` */
export function oneModel(
  gateway: Gateway,
  principal: Principal,
  asked: string,
  anthropic: boolean,
): JsonObject {
  const defaultVendor = anthropic ? 'anthropic' : 'openai';
  return renderModel(find(gateway, principal, asked, defaultVendor), anthropic);
}

/** `GET /v1beta/models`: what generate-content reaches. */
export function listGoogleModels(gateway: Gateway, principal: Principal): JsonObject {
  const models = allowed(gateway, principal).filter((model) => isReached(gateway, model));
  return { models: models.map((model) => renderGoogleModel(gateway, model)) };
}

/** `GET /v1beta/models/{model}`. @throws GatewayError `model-not-found` */
export function oneGoogleModel(gateway: Gateway, principal: Principal, asked: string): JsonObject {
  const model = find(gateway, principal, asked, 'google');
  if (!isReached(gateway, model)) throw notSupported(asked, 'google');
  return renderGoogleModel(gateway, model);
}

/** What the playground needs of the models the key may use. Prices are in US dollars per million tokens. */
export function listPricedModels(gateway: Gateway, principal: Principal): JsonObject {
  const models = allowed(gateway, principal).map((model) => {
    const { id, name, aliases = [], prices, thinking, sampling = true, maxOutputTokens } = model;
    return compact({
      id,
      name,
      aliases: [...aliases],
      prices: pricesAt(prices, Date.now()),
      simulated: gateway.vendors.serving(model)?.simulated === true,
      thinking: thinking && {
        kinds: [...thinking.kinds],
        efforts: [...thinking.efforts],
        canDisable: thinking.canDisable,
        ...(thinking.budget !== undefined && { budget: { ...thinking.budget } }),
      },
      sampling,
      maxOutputTokens,
      generateContent: isReached(gateway, model),
    });
  });
  return { models };
}

function allowed({ catalog }: Gateway, principal: Principal): readonly Model[] {
  return catalog.models.filter((model) => principal.allows(model.id, catalog.otherNames));
}

/** Whether generate-content reaches it. */
function isReached({ options }: Gateway, model: Pick<Model, 'id'>): boolean {
  return reaches(options, 'generate-content', model);
}

function find({ catalog }: Gateway, principal: Principal, asked: string, defaultVendor: string): Model {
  const model = catalog.resolve(asked, defaultVendor);
  // A model that the key may not use is not in its list, so it is not told apart from one that is not there.
  if (model === undefined || !principal.allows(model.id, catalog.otherNames))
    throw notSupported(asked, defaultVendor);
  return model;
}

function renderModel(model: Model, anthropic: boolean): JsonObject {
  const standard = compact({
    id: model.id,
    object: 'model',
    created: model.created,
    owned_by: vendorName(model.id),
    // OpenAI says neither. Agents read them here, by the names that OpenRouter and Groq have for them, and take a window
    // of their own guess where they find none.
    context_length: model.contextWindow,
    max_completion_tokens: model.maxOutputTokens,
    shutdown_date: model.shutdown,
  });
  if (!anthropic) return standard;
  // Their SDKs have each of these on every model. One whose day is past is `deprecated` still: it is not refused here.
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

function renderGoogleModel({ vendors }: Gateway, model: Model): JsonObject {
  const name = modelName(model.id);
  const vendor = vendors.serving(model);
  const counts = vendor !== undefined && countingFormat(vendor) !== undefined;
  return compact({
    name: `models/${vendorName(model.id) === 'google' ? name : model.id}`,
    version: name,
    displayName: model.name,
    inputTokenLimit: model.contextWindow,
    outputTokenLimit: model.maxOutputTokens,
    supportedGenerationMethods: counts ? ['generateContent', 'countTokens'] : ['generateContent'],
    thinking: model.thinking !== undefined ? true : undefined,
  });
}
