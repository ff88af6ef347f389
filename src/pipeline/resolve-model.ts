/** Which model a request is for, which vendor serves it, and whether the request is native or translated. */

import { isLimitedByOthers } from '../access/limits/limited.ts';
import { isConfined } from '../access/principal.ts';
import { bindingTo, type StoredIds } from '../access/stored-ids.ts';
import { type Catalog, MAX_ID_LENGTH } from '../catalog/catalog.ts';
import { DEFAULT_VENDOR } from '../catalog/default-vendor.ts';
import type { Model } from '../catalog/model.ts';
import type { FormatName } from '../conversation/prompt.ts';
import type { Route } from '../conversation/route.ts';
import { TIER_FIELDS } from '../conversation/tokens.ts';
import { formats } from '../formats/formats.ts';
import { parseAlt } from '../formats/generate-content/wire/alt.ts';
import { invalid } from '../lib/errors.ts';
import { asText } from '../lib/json.ts';
import type { Span } from '../lib/json-bytes.ts';
import { QUOTE } from '../lib/json-bytes.ts';
import { valueAt } from '../lib/scanned-values.ts';
import { isVertex, type Vendor, type Vendors } from '../upstream/vendor.ts';
import { withoutByteOrderMark } from './body/byte-order-mark.ts';
import { inTurns } from './body/in-turns.ts';
import type { RememberedTools } from './body/remembered-tools.ts';
import { LONG_BODY, type Scanned, scannedInTurns, withTree } from './body/scanned.ts';
import type { Admitted, Routed } from './exchange.ts';
import { fallback, findFallbacks } from './model/fallback.ts';
import { formatFor } from './model/native-format.ts';
import { notServedHere, notSupported } from './model/not-supported.ts';
import { type ReachOptions, reaches } from './model/reach.ts';
import { requireSameModel } from './model/same-model.ts';
import { PARAMETERS } from './restrictions/harmless-fields.ts';
import { keepToOwn } from './restrictions/keep-to-own.ts';
import { ModelPermission } from './restrictions/model-permission.ts';
import { findOtherModels } from './restrictions/other-models.ts';
import { requireHarmless, requireHarmlessQuery } from './restrictions/require-harmless.ts';
import { requireUniqueKeys } from './restrictions/unique-keys.ts';

/** What a request is held against. */
interface Known {
  readonly catalog: Catalog;
  readonly vendors: Vendors;
  readonly storedIds: StoredIds;
  readonly tools: RememberedTools;
}

/**
 * Makes the stage that reads the body and settles the model, the vendor and the format of the request to it.
 * @throws GatewayError `model-not-found`; `model-not-allowed` for any model that the body names; `permission-denied`
 *   for what a restricted key may not send; `invalid-request` for a body that is not JSON, names no model or two, or
 *   needs what its vendor does not offer; and what reading the body throws.
 */
export function resolveModel(known: Known, reach: ReachOptions): (admitted: Admitted) => Promise<Routed> {
  return (admitted) => resolve(admitted, known, reach);
}

async function resolve(admitted: Admitted, known: Known, reach: ReachOptions): Promise<Routed> {
  const { catalog, storedIds, tools } = known;
  const { route, principal, named, ledger } = admitted;
  let sent = await scannedInTurns(withoutByteOrderMark(await admitted.readBody()), tools);
  const { fields } = sent.scan;
  refuseOtherSpellings(fields);
  const { model, vendor } = findServed(sent, admitted, known, reach);
  // A refusal is recorded with the model, too: an operator then sees what a key was refused for.
  ledger.model = model;
  const limited = isLimitedByOthers(principal);
  const confined = isConfined(principal);
  if (limited || confined) {
    // Then the value is there at once for the checks below.
    if (sent.body.length >= LONG_BODY) await inTurns(sent.parsing());
    requireUniqueKeys(sent, route.format);
  }
  const otherModels = principal.restricted || limited ? findOtherModels(sent.tree()) : [];
  const permission = new ModelPermission(principal, otherModels, catalog);
  permission.require(model);
  ledger.tiered = TIER_FIELDS.some((field) => fields.has(field));
  const isResponses = isOfResponses(route, sent);
  if (confined) {
    const kept = confine(sent, admitted, isResponses, storedIds);
    sent = kept instanceof Promise ? await kept : kept;
  }
  requireFields(route, sent);
  const upstreamFormat = formatFor(route, vendor, model, sent, reach, isResponses);
  if (named !== undefined) requireSameModel(sent, catalog, model.id, DEFAULT_VENDOR[route.format]);
  const mustTranslate = isResponses || writesOtherNumbers(admitted, vendor, upstreamFormat);
  // As a rule nothing reads a native body after this, so its value is dropped: it would be held until the answer is
  // over.
  if (upstreamFormat === route.format && !mustTranslate) sent = withTree(sent.body, sent.scan, tools);
  const routed: Routed = {
    ...admitted,
    model,
    vendor,
    upstreamFormat,
    ...(limited && { otherModels: permission.findOthers(model) }),
    ...(mustTranslate && { mustTranslate }),
    ...bindingTo(principal, storedIds),
    ...sent,
  };
  return withFallbacks(routed, permission, known, reach);
}

/** The model that a request asks for, and its vendor. @throws GatewayError if the caller's endpoint serves none such. */
function findServed(
  { body, scan: { fields } }: Scanned,
  admitted: Admitted,
  { catalog, vendors }: Known,
  reach: ReachOptions,
): Pick<Routed, 'model' | 'vendor'> {
  const { route, named } = admitted;
  const defaultVendor = DEFAULT_VENDOR[route.format];
  const asked = named?.model ?? modelInBody(body, fields.get('model'), defaultVendor);
  if (asked.length > MAX_ID_LENGTH) throw notSupported(asked, defaultVendor);
  const model = catalog.resolve(asked, defaultVendor) ?? unmarked(asked, route, catalog);
  const vendor = model && vendors.serving(model);
  if (model !== undefined && vendor !== undefined && reaches(reach, route.format, model))
    return { model, vendor };
  throw notServedHere(asked, admitted, vendor && model, catalog, reach);
}

/** Keeps a request to what its principal may use. @throws GatewayError, or rejects with it, as `keepToOwn` does. */
function confine(
  sent: Scanned,
  admitted: Admitted,
  isResponses: boolean,
  storedIds: StoredIds,
): Scanned | Promise<Scanned> {
  const { format } = admitted.route;
  requireHarmless(format, sent.tree(), isResponses);
  requireHarmlessQuery(PARAMETERS[format], admitted.query);
  return keepToOwn(admitted, format, sent, storedIds);
}

/** The request with the models that may be asked instead of its own, if there are any. */
function withFallbacks(
  routed: Routed,
  permission: ModelPermission,
  { catalog, vendors }: Known,
  reach: ReachOptions,
): Routed {
  const { route, model } = routed;
  const mayAsk = (other: Model): boolean =>
    permission.findRefused(other) === undefined && reaches(reach, route.format, other);
  const others = findFallbacks(routed, model, catalog, mayAsk);
  if (Object.values(others).every(({ length }) => length === 0)) return routed;
  return { ...routed, nextFallback: (reason) => fallback(routed, others, reason, vendors, reach) };
}

/**
 * The suffix that Claude Code adds to a model's name to choose the longest context window. It is meant for Claude Code
 * itself, but some of its requests contain it all the same: checks whether a tool may run, and token counts.
 */
const WINDOW = /\[[12]m\]$/i;
const WINDOW_LENGTH = '[1m]'.length;

/** Resolves a model whose name ends in Claude Code's window suffix, once or several times. */
function unmarked(asked: string, { format }: Route, catalog: Catalog): Model | undefined {
  if (format !== 'messages' || !WINDOW.test(asked)) return undefined;
  let name = asked;
  while (WINDOW.test(name)) name = name.slice(0, -WINDOW_LENGTH);
  return catalog.resolve(name, DEFAULT_VENDOR[format]);
}

/** @throws GatewayError `invalid-request` for a body without what its format requires, whichever service would answer. */
function requireFields({ format, operation }: Route, { body, scan: { fields } }: Scanned): void {
  if (operation !== 'generate') return;
  formats[format].inbound.requireFields?.((name) => {
    const span = fields.get(name);
    return span !== undefined && body.toString('latin1', span.start, span.end) !== 'null';
  });
}

/** Some upstreams read keys case-insensitively, and would take `MODEL` for the model. */
function refuseOtherSpellings(spans: ReadonlyMap<string, Span>): void {
  for (const key of spans.keys()) {
    if (key.length === 5 && key !== 'model' && key.toLowerCase() === 'model') {
      throw invalid(`${key}: Unknown field; name the model in "model"`, key);
    }
  }
}

/**
 * Whether a body at chat-completions is one of Responses, as Cursor sends them: it has an `input`, and no `messages` or
 * an empty list of them.
 */
function isOfResponses({ format }: Route, { body, scan: { fields } }: Scanned): boolean {
  if (format !== 'chat-completions' || !fields.has('input')) return false;
  const messages = fields.get('messages');
  return messages === undefined || /^\[\s*\]$/.test(body.toString('latin1', messages.start, messages.end));
}

/** The most bytes of a name of MAX_ID_LENGTH in JSON: an escape of six for each code unit, and the quotes. */
const MAX_ID_BYTES = 6 * MAX_ID_LENGTH + 2;

/** @throws GatewayError also for a name longer than any model's; only its beginning is read then. */
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
 * Whether the caller and the service mean different things by the numbers of enums: Vertex AI numbers harm categories,
 * finish reasons and a mode of calls in its own way (`google/cloud/aiplatform/v1/*.proto`). Such a request is
 * translated, since a translated one has words.
 */
function writesOtherNumbers({ query }: Admitted, vendor: Vendor, upstreamFormat: FormatName): boolean {
  return upstreamFormat === 'generate-content' && isVertex(vendor) && parseAlt(query).hasNumbers;
}
