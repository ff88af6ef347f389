/** An answer with which a vendor refuses a request: status 400 and above. */

import { formats } from '../../formats/formats.ts';
import { textOfBytes } from '../../lib/bytes.ts';
import { amended, type GatewayError } from '../../lib/errors.ts';
import { asObject } from '../../lib/json.ts';
import { MAX_ERROR_TOKENS, tryParseBounded } from '../../lib/json-bounds.ts';
import { DEADLINE, refusalHeaders, responseHeaders } from '../../upstream/headers.ts';
import { hidden, hiddenInJson, hiding, withoutSecretsIn } from '../../upstream/redact.ts';
import type { RenderedReply, VendorAnswer } from '../exchange.ts';
import { findLacking } from './no-answer.ts';
import { readWhole, withBody } from './reply-body.ts';
import { withReportedWait, withWait } from './vendor-wait.ts';

/** The largest error body that is read, in bytes. */
const MAX_ERROR = 1024 * 1024;

/**
 * Makes the reply from a refusal. On the native path the caller gets it as the vendor wrote it, without any credentials
 * in it.
 * @throws GatewayError for a translated request, for a body that is not JSON, and for a refusal of the gateway's own
 *   key or account, which is not the caller's doing; and if the body is too large or breaks off.
 */
export async function refusedReply(answered: VendorAnswer): Promise<RenderedReply> {
  const { id, route, upstreamFormat, answer, translation, secret, limitHeaders, ledger } = answered;
  const body = await readWhole(answered, MAX_ERROR);
  const text = textOfBytes(body);
  const isJson = tryParseBounded(text, MAX_ERROR_TOKENS) !== undefined;
  const shown = isJson ? hiddenInJson(text, secret) : hidden(text, secret);
  const parsed = formats[upstreamFormat].outbound.parseError(answer.status, shown);
  const refused = withDeadline(withoutSecretsIn(parsed, secret), answered);
  const said = withWord(withWait(refused, answer), answer.status, shown);
  const error = findLacking(answered, said) ?? said;
  const isOurs = error.fault === 'upstream-auth' || error.loss === 'elsewhere';
  // A body that is not JSON is the page of some proxy on the way, not the vendor's error. A status from 600 on is none of
  // HTTP's (RFC 9110, section 15), and the libraries of callers fail at it.
  if (translation === undefined && !isOurs && isJson && answer.status < 600) {
    const reply = { id, format: route.format, status: answer.status, refusal: error, limitHeaders, ledger };
    const headers = withReportedWait(responseHeaders(answer.headers, hiding(secret)), error);
    return withBody({ ...reply, headers, body }, text, shown);
  }
  const refusal = error.fault === 'upstream-auth' ? {} : refusalHeaders(answer.headers, hiding(secret));
  throw amended(error, { headers: { ...refusal, ...limitHeaders } });
}

/**
 * Notes if the vendor gave up after the time that the caller's SDK says in a header (Gemini API, "Troubleshooting guide":
 * "Set a larger 'timeout' in your client request"). A short one must not look like a failure of the upstream.
 */
function withDeadline(
  error: GatewayError,
  { translation, upstreamFormat, message }: VendorAnswer,
): GatewayError {
  const isSent = translation === undefined && upstreamFormat === 'generate-content';
  const isSet = isSent && message.headers[DEADLINE] !== undefined;
  return isSet && error.fault === 'upstream-timeout' ? amended(error, { concerns: 'caller' }) : error;
}

/**
 * Adds what the log shows about the gateway's own trouble at a vendor, which the caller does not get: a wrong key, an
 * account without credit and a missing endpoint are fixed in different ways.
 */
function withWord(error: GatewayError, status: number, body: string): GatewayError {
  if (error.fault !== 'upstream-auth') return error;
  const value = tryParseBounded(body, MAX_ERROR_TOKENS);
  const details = asObject(asObject(Array.isArray(value) ? value[0] : value)?.['error']) ?? {};
  const word = [details['code'], details['status'], details['type']].find(
    (each) => typeof each === 'string' && /^[A-Za-z_]{1,48}$/.test(each),
  );
  const code = [`HTTP_${status}`, word].join('_').replace(/_$/, '').toUpperCase();
  return amended(error, { cause: Object.assign(new Error('The vendor said so.'), { code }) });
}
