/**
 * Claude at Vertex AI, which is Anthropic's format but for this: model and method stand in the path, and the version in
 * the body in place of the model ("Claude on Vertex AI", platform.claude.com; AnthropicVertex of Anthropic's SDK).
 */

import { invalid } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { spliced } from '../json-scan.ts';
import { isVertex, type Vendor } from '../vendors/vendor.ts';
import type { Route, Routed } from './exchange.ts';
import type { Scanned } from './scanned.ts';

const FIELD = 'anthropic_version';
const VERSION = 'vertex-2023-10-16';

/** Whether a vendor is asked so. */
export function isVertexClaude(vendor: Vendor, spoken: Routed['spoken']): boolean {
  return spoken === 'messages' && isVertex(vendor);
}

/** Where it is asked, below its address. @param model as Vertex calls it. */
export function vertexPath(operation: Route['operation'], model: string, stream: boolean): string {
  if (operation === 'count-tokens') return '/models/count-tokens:rawPredict';
  return `/models/${encodeURIComponent(model)}:${stream ? 'streamRawPredict' : 'rawPredict'}`;
}

/** A body of Anthropic's as Vertex takes it. Whose tokens are counted still stands in it. */
export function vertexBody({ model, ...rest }: JsonObject, operation: Route['operation']): JsonObject {
  return { [FIELD]: VERSION, ...rest, ...(operation === 'count-tokens' && model !== undefined && { model }) };
}

/**
 * The same of a body that is passed on byte for byte.
 * @throws GatewayError `invalid-request` where it has the version already, as nobody's does who writes to Anthropic.
 */
export function vertexBytes({ body, fields }: Scanned, operation: Route['operation']): Buffer {
  const model = fields.get('model');
  if (model === undefined) return body;
  if (fields.has(FIELD)) throw invalid(`${FIELD}: Extra inputs are not permitted`, FIELD);
  const version = `"${FIELD}":"${VERSION}"`;
  if (operation === 'count-tokens') return spliced(body, { start: model.end, end: model.end }, `,${version}`);
  const keyEnd = body.lastIndexOf('"', model.start - 1);
  return spliced(body, { start: body.lastIndexOf('"', keyEnd - 1), end: model.end }, version);
}
