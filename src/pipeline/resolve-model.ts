/** Of which model; native or translated is settled here. */

import { isLimitedByModel } from '../access/limits/limited.ts';
import { isConfined } from '../access/principal.ts';
import type { StoredIds } from '../access/stored-ids.ts';
import { type Catalog, MAX_ID_LENGTH, modelName, vendorName } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import type { FormatName } from '../conversation/prompt.ts';
import type { Route } from '../conversation/route.ts';
import { GatewayError, invalid } from '../lib/errors.ts';
import { asText, isObject, type Json, type JsonObject } from '../lib/json.ts';
import { type Span, valueAt } from '../lib/json-scan.ts';
import { translatedFormat, type Vendor, type Vendors } from '../upstream/vendor.ts';
import type { Admitted, Routed } from './exchange.ts';
import { countingFormat, nativeFormatFor } from './native-format.ts';
import { nearestModel } from './nearest-model.ts';
import { DEFAULT_VENDOR, type ReachOptions, reaches } from './reach.ts';
import { keepToOwn } from './restrictions/keep-to-own.ts';
import { modelsBeside } from './restrictions/other-models.ts';
import { requireHarmless, requireHarmlessQuery } from './restrictions/require-harmless.ts';
import { inItsWords, replaced, type Scanned, scanned } from './scanned.ts';

/**
 * Reads the body, and settles who is asked in which format.
 * @throws GatewayError `model-not-found`; `model-not-allowed` for any model that the body names; `permission-denied` for
 *   what a restricted key may not send; `invalid-request` for a body that is none, names no model or two, or asks what its
 *   vendor does not do; and what reading it throws.
 */
export function resolveModel(
  catalog: Catalog,
  vendors: Vendors,
  reach: ReachOptions,
  storedIds: StoredIds,
): (admitted: Admitted) => Promise<Routed> {
  return async (admitted) => {
    const { route, principal, named } = admitted;
    const sent = scanned(withoutByteOrderMark(await admitted.readBody()));
    let { body, fields } = sent;
    refuseOtherSpellings(fields);
    const span = fields.get('model');
    const defaultVendor = DEFAULT_VENDOR[route.format];
    const asked = named?.model ?? modelInBody(body, span, defaultVendor);
    if (asked.length > MAX_ID_LENGTH) throw notSupported(asked, defaultVendor);
    const model = catalog.resolve(asked, defaultVendor) ?? unmarked(asked, route, catalog);
    const vendor = model && vendors.serving(model);
    if (model === undefined || vendor === undefined || !reaches(reach, route.format, model)) {
      const { models, otherNames } = catalog;
      const usable = models.filter((one) => principal.allows(one.id, otherNames));
      const reached = usable.filter((one) => reaches(reach, route.format, one));
      const isElsewhere = vendor !== undefined && usable.some(({ id }) => id === model?.id);
      const advice = isElsewhere ? ELSEWHERE : hint(asked, defaultVendor, reached, models);
      throw notSupported(asked, defaultVendor, advice);
    }
    const limited = isLimitedByModel(principal);
    const others = principal.restricted || limited ? modelsBeside(body, fields) : [];
    const besideOf = ({ id }: Model): string[] => others.map((name) => idOf(name, vendorName(id), catalog));
    const refusedFor = (model: Model): string | undefined =>
      [model.id, ...besideOf(model)].find((each) => !principal.allows(each, catalog.otherNames));
    const refused = refusedFor(model);
    if (refused !== undefined) {
      throw new GatewayError('model-not-allowed', `This API key may not use the model ${shown(refused)}.`);
    }
    admitted.ledger.model = model;
    admitted.ledger.tiered = fields.has('service_tier');
    const anew = isOfResponses(route, body, fields);
    if (isConfined(principal)) {
      requireHarmless(route.format, body, fields, anew);
      requireHarmlessQuery(route.format, admitted.query);
      const kept = keepToOwn(admitted, route.format, sent, storedIds);
      ({ body, fields } = kept instanceof Promise ? await kept : kept);
    }
    const spoken = formatFor(route, vendor, model, { body, fields, anew });
    if (named !== undefined) requireSameModel(body, fields, catalog, model.id);
    const routed: Routed = {
      ...admitted,
      model,
      vendor,
      upstreamFormat: spoken,
      ...(limited && { otherModels: besideOf(model) }),
      ...(anew && { mustTranslate: anew }),
      ...(principal.stored === 'own' && {
        bind: (ids: readonly string[]) => storedIds.bind(ids, principal.name),
      }),
      ...inItsWords({ route, named, model, vendor, upstreamFormat: spoken, body, fields }),
    };
    const fallbacks = catalog
      .fallbacks(model)
      .filter((other) => refusedFor(other) === undefined && reaches(reach, route.format, other));
    // A body that names the model beside the path cannot be sent to another one; nor are its tokens another's.
    if (fallbacks.length === 0 || route.operation !== 'generate' || (named && span)) return routed;
    return { ...routed, nextFallback: () => fallback({ ...routed, body, fields }, fallbacks, vendors) };
  };
}

/**
 * What stands behind a name in Claude Code for the longest window that a model has. It is for Claude Code itself, but some
 * of what it asks has it all the same: whether a tool may run, how many tokens there are.
 */
const WINDOW = /\[[12]m\]$/i;
const WINDOW_LENGTH = '[1m]'.length;

/** The model whose name has Claude Code's mark of a window behind it, once or several times. */
function unmarked(asked: string, { format }: Route, catalog: Catalog): Model | undefined {
  if (format !== 'messages' || !WINDOW.test(asked)) return undefined;
  let name = asked;
  while (WINDOW.test(name)) name = name.slice(0, -WINDOW_LENGTH);
  return catalog.resolve(name, DEFAULT_VENDOR[format]);
}

/** The format in which a vendor is asked. @throws GatewayError `invalid-request` where it has nothing of the kind. */
function formatFor(
  { format, operation }: Route,
  vendor: Vendor,
  model: Model,
  { body, fields, anew }: Scanned & { readonly anew?: boolean },
): FormatName {
  if (anew) return translatedFormat(vendor, model);
  const spoken = nativeFormatFor(vendor, model, format, () => dialogueOf(body, fields));
  if (spoken === format || operation === 'generate') return spoken;
  if (operation === 'compact') throw notServed(operation, model);
  const counting = countingFormat(vendor);
  if (counting === undefined) throw notServed(operation, model);
  return counting;
}

/** The tools that a body of responses offers, which may be called, the form of the answer, and its dialogue. */
function dialogueOf(body: Buffer, fields: Scanned['fields']): JsonObject {
  const named = ['tools', 'tool_choice', 'text', 'input'].flatMap((name) => {
    const span = fields.get(name);
    return span === undefined ? [] : [[name, valueAt(body, span)]];
  });
  return Object.fromEntries(named);
}

/** What the service of a model does not do, beside answering. */
export function notServed(operation: 'compact' | 'count-tokens', { id }: Model): GatewayError {
  return invalid(
    operation === 'compact'
      ? "Only OpenAI's own models can compact a conversation. Ask this one for a summary as an ordinary message instead."
      : `Token counting is not available for ${id}: its vendor does not offer it.`,
    'model',
  );
}

/** The request, as its caller wrote it, for the first of `models`, which the key may use, that can be asked in its place. */
function fallback(routed: Routed, models: readonly Model[], vendors: Vendors): Routed | undefined {
  const { route } = routed;
  for (const [at, model] of models.entries()) {
    const vendor = vendors.serving(model);
    if (vendor === undefined) continue;
    const spoken = formatFor(route, vendor, model, routed);
    const asked: Routed = { ...routed, model, vendor, upstreamFormat: spoken, ...withinMost(routed, model) };
    return {
      ...asked,
      ...inItsWords(asked),
      isFallback: true,
      nextFallback: () => fallback(routed, models.slice(at + 1), vendors),
    };
  }
  return undefined;
}

/** What is served by the other endpoints alone. */
const ELSEWHERE =
  "Google's format has Google's models only; the other endpoints have this one too, and so has this one where the gateway is configured with generateContent: { models: 'all' }.";

/** No name is longer that somebody misspells. */
const MAX_SLIP = 128;

/**
 * What to do about a name that nothing is called, as a sentence.
 * @param usable what the caller may use here. @param served all that there is.
 */
function hint(
  asked: string,
  defaultVendor: string,
  usable: readonly Model[],
  served: readonly Model[],
): string | undefined {
  if (asked.length > MAX_SLIP) return undefined;
  const ids = usable.map(({ id }) => id);
  const nearest = nearestModel(asked, ids);
  if (nearest !== undefined) return `Did you mean ${shown(nearest)}?`;
  const vendor = asked.includes('/') ? vendorName(asked.toLowerCase()) : defaultVendor;
  if (vendor === '' || served.some(({ id }) => vendorName(id) === vendor)) return undefined;
  return `No model of ${shown(vendor)} is served here, as where the gateway has no key for that vendor.`;
}

/**
 * `Model not supported`, with the identifier as it was understood: no more of it than is safe to show.
 * @param advice what to do about it, as a sentence.
 */
export function notSupported(asked: string, defaultVendor: string, advice?: string): GatewayError {
  const id = asked.includes('/') ? asked : `${defaultVendor}/${asked}`;
  const message = `Model not supported: ${shown(id)}${advice === undefined ? '' : `. ${advice}`}`;
  return new GatewayError('model-not-found', message, { param: 'model' });
}

function shown(id: string): string {
  return id.slice(0, 64).replaceAll(/[^\w.:/@-]/g, '?');
}

/**
 * The canonical id of what a vendor understands by a name beside the model: one of its own, where no vendor is told. It is
 * sent as it is written, so that of the gateway's aliases only the vendor's own dated names count.
 */
function idOf(name: string, vendor: string, catalog: Catalog): string {
  const id = (name.includes('/') ? name : `${vendor}/${name}`).toLowerCase();
  const found = catalog.resolve(id, vendor);
  if (found === undefined) return id;
  const sent = `${vendorName(found.id)}/${found.upstream ?? modelName(found.id)}`;
  return sent.toLowerCase() === id ? found.id : id;
}

/** Some upstreams read keys without regard to case, and would take `MODEL` for the model. */
function refuseOtherSpellings(spans: ReadonlyMap<string, Span>): void {
  for (const key of spans.keys()) {
    if (key.length === 5 && key !== 'model' && key.toLowerCase() === 'model') {
      throw invalid(`${key}: Unknown field; name the model in "model"`, key);
    }
  }
}

/**
 * Whether a body at chat-completions is one of responses, as Cursor sends them: with an `input`, and no `messages` or
 * none in them.
 */
function isOfResponses({ format }: Route, body: Buffer, fields: Scanned['fields']): boolean {
  if (format !== 'chat-completions' || !fields.has('input')) return false;
  const messages = fields.get('messages');
  return messages === undefined || /^\[\s*\]$/.test(body.toString('latin1', messages.start, messages.end));
}

/** The most bytes that JSON spends on a name of MAX_ID_LENGTH: each code unit as an escape of six, and the quotes. */
const MAX_ID_BYTES = 6 * MAX_ID_LENGTH + 2;
const QUOTE = 0x22;

/** @throws GatewayError also for a name that no model can have, of which only the beginning is read. */
function modelInBody(body: Buffer, span: Span | undefined, defaultVendor: string): string {
  if (span === undefined) throw invalid('model: Field required', 'model');
  if (body[span.start] === QUOTE && span.end - span.start > MAX_ID_BYTES) {
    throw notSupported(body.toString('utf8', span.start + 1, span.start + MAX_ID_BYTES), defaultVendor);
  }
  const model = asText(valueAt(body, span));
  if (model === undefined) throw invalid('model: Input should be a string', 'model');
  return model;
}

/**
 * Where the path names the model, the body may name it too (`model`, and `generateContentRequest.model` when tokens
 * are counted): it must be the same one, or a key's restriction would hang on which of them the vendor reads.
 */
function requireSameModel(
  body: Buffer,
  spans: ReadonlyMap<string, Span>,
  catalog: Catalog,
  modelId: string,
): void {
  const inner = ['generateContentRequest', 'generate_content_request'].map((key) => spans.get(key));
  const values = [spans.get('model'), ...inner].map((span) => span && valueAt(body, span));
  for (const value of values) {
    const also = isObject(value) ? value['model'] : value;
    if (also === undefined) continue;
    const name = asText(also)?.replace(/^models\//, '');
    if (name === undefined || catalog.resolve(name, vendorName(modelId))?.id !== modelId) {
      throw invalid(
        `The body names a different model from the path, which names ${modelName(modelId)}.`,
        'model',
      );
    }
  }
}

/** How a body says how long an answer may be: the value itself, or what has it. */
const MOST_FIELDS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'generationConfig'];

/** A body that asks for no longer an answer than the model gives: it was written for another one, and more is a 400. */
function withinMost({ body, fields }: Scanned, { maxOutputTokens }: Model): Scanned {
  const tooMany = (value: Json | undefined): boolean => typeof value === 'number' && value > maxOutputTokens;
  let made: Scanned = { body, fields };
  for (const key of MOST_FIELDS) {
    const span = made.fields.get(key);
    const value = span && valueAt(made.body, span);
    if (span !== undefined && tooMany(value)) made = replaced(made, span, `${maxOutputTokens}`);
    if (span !== undefined && isObject(value) && tooMany(value['maxOutputTokens'])) {
      made = replaced(made, span, JSON.stringify({ ...value, maxOutputTokens }));
    }
  }
  return made;
}

function withoutByteOrderMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}
