/**
 * Claude at Vertex AI, which is Anthropic's format but for this: model and method stand in the path, and the version in
 * the body in place of the model ("Claude on Vertex AI", platform.claude.com; AnthropicVertex of Anthropic's SDK).
 */

import type { IncomingHttpHeaders } from 'node:http';
import { invalid } from '../lib/errors.ts';
import { spliced } from '../lib/json-scan.ts';
import { ANTHROPIC_VERSION } from '../upstream/headers.ts';
import { toBuffer } from '../upstream/net/to-buffer.ts';
import { isVertex, pathAt, upstreamName } from '../upstream/vendor.ts';
import type { Prepared } from './exchange.ts';
import type { Scanned } from './scanned.ts';
import { scanned } from './scanned.ts';

const FIELD = 'anthropic_version';
/** What Vertex calls the version that Anthropic calls ANTHROPIC_VERSION; those since then are called alike. */
const VERSION = 'vertex-2023-10-16';

/** Whether a request is for Claude there. */
export function isForVertex({ vendor, upstreamFormat: spoken }: Prepared): boolean {
  return spoken === 'messages' && isVertex(vendor);
}

/**
 * A request of Anthropic's as Vertex takes it. Of its body nothing else changes.
 * @throws GatewayError `invalid-request` where the body has a version already, which nobody writes to Anthropic.
 */
export function atVertex(prepared: Prepared): Prepared {
  const { vendor, model, route, message, payload } = prepared;
  const body = scanned(toBuffer(payload));
  const isCount = route.operation === 'count-tokens';
  const path = isCount
    ? 'count-tokens:rawPredict'
    : `${nameInPath(upstreamName(vendor, model))}:${methodOf(body)}`;
  return {
    ...prepared,
    path: pathAt(vendor, `/models/${path}`),
    payload: withVersion(body, versionOf(route.format === 'messages' ? message.headers : {}), isCount),
  };
}

/** Names with a date have an @, which may stand in a path as it is (RFC 3986, 3.3). */
function nameInPath(model: string): string {
  return encodeURIComponent(model).replaceAll('%40', '@');
}

function methodOf({ body, fields }: Scanned): string {
  const { start, end } = fields.get('stream') ?? { start: 0, end: 0 };
  return body.toString('latin1', start, end) === 'true' ? 'streamRawPredict' : 'rawPredict';
}

/** As JSON. Whoever speaks the format says by a header in which version. */
function versionOf({ 'anthropic-version': said = ANTHROPIC_VERSION }: IncomingHttpHeaders): string {
  return JSON.stringify(said === ANTHROPIC_VERSION ? VERSION : said);
}

/** @param keeps whether the model stays in the body: that whose tokens are counted does. */
function withVersion({ body, fields }: Scanned, version: string, keeps: boolean): Uint8Array {
  const model = fields.get('model');
  if (model === undefined) return body;
  if (fields.has(FIELD)) throw invalid(`${FIELD}: Extra inputs are not permitted`, FIELD);
  const field = `"${FIELD}":${version}`;
  if (keeps) return spliced(body, { start: model.end, end: model.end }, `,${field}`);
  const keyEnd = body.lastIndexOf('"', model.start - 1);
  return spliced(body, { start: body.lastIndexOf('"', keyEnd - 1), end: model.end }, field);
}
