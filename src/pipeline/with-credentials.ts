/**
 * Sends a request to a vendor that takes a cloud's token or signature instead of a key. This is the last thing added to
 * a request, since some signatures cover all the rest. If the vendor refuses it, the gateway gets a new one and sends
 * the request once more, before the refusal counts.
 */

import { asGatewayError, GatewayError } from '../lib/errors.ts';
import type { Signal } from '../lib/light-signal.ts';
import type { CloudToken, Headers, Outgoing } from '../upstream/credentials/cloud.ts';
import type { CloudTokens } from '../upstream/credentials/cloud-tokens.ts';
import { leave, leftFor } from '../upstream/send.ts';
import type { Ending, UpstreamHead } from '../upstream/upstream-answer.ts';
import type { Vendor } from '../upstream/vendor.ts';
import type { VendorAnswer } from './exchange.ts';

/** The outcome of a request to a vendor. */
export type AskedRequest = Pick<VendorAnswer, 'answer' | 'secret' | 'beginning'>;

/**
 * Sends the request with these headers. `secret` is the credential in them, which must not appear in logs or answers.
 */
export type Ask = (
  headers: string[],
  secret: string,
  ended: ((how: Ending) => void) | undefined,
) => Promise<AskedRequest>;

export interface CredentialedRequest {
  readonly vendor: Vendor;
  readonly request: Outgoing;
  readonly signal: Signal;
  /** Called once, with how the exchange ended whose answer counts. */
  readonly ended: ((how: Ending) => void) | undefined;
}

/**
 * Sends a request with a cloud's credential.
 * @throws GatewayError `upstream-auth` if there is no token, or if the signature is refused because the clocks
 *   differ; and what `ask` throws.
 */
export async function withCredentials(
  cloudTokens: CloudTokens,
  { vendor, request, signal, ended }: CredentialedRequest,
  ask: Ask,
): Promise<AskedRequest> {
  const token = await getToken(cloudTokens, vendor, signal).catch((error: unknown) => {
    // Every request there would fail, so another upstream is used for a while.
    if (!signal.aborted) ended?.('broken');
    throw error;
  });
  const ending = holdEnding(ended);
  const first = await ask(await headersWith(token, request), token.secret, ended && ending.ended).catch(
    (error: unknown) => {
      ending.decide(true);
      throw error;
    },
  );
  const next = isRefused(first.answer) ? await renewed(cloudTokens, vendor, token, signal) : undefined;
  ending.decide(next === undefined);
  if (next === undefined) return unlessByClock(first, vendor);
  leave(first.answer);
  return unlessByClock(await ask(await headersWith(next, request), next.secret, ended), vendor);
}

/** Gets the credential, and stops waiting for it when the caller leaves. */
async function getToken(cloudTokens: CloudTokens, vendor: Vendor, signal: Signal): Promise<CloudToken> {
  const token = cloudTokens.get(vendor);
  return token instanceof Promise ? unlessLeft(token, signal) : token;
}

async function unlessLeft<T>(promise: Promise<T>, signal: Signal): Promise<T> {
  const left = Promise.withResolvers<never>();
  const leave = (): void => left.reject(asGatewayError(signal.reason));
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  return Promise.race([promise, left.promise]).finally(() => signal.removeEventListener('abort', leave));
}

/** Gets another credential than the refused one; undefined if there is none, and the refusal stands. */
async function renewed(
  cloudTokens: CloudTokens,
  vendor: Vendor,
  refused: CloudToken,
  signal: Signal,
): Promise<CloudToken | undefined> {
  const coming = cloudTokens.renew(vendor, refused);
  const next = coming && (await unlessLeft(coming, signal).catch(() => undefined));
  return next === undefined || next.secret === refused.secret ? undefined : next;
}

/** The errors for which AWS sends a 403 where others send 401 ("Common error types", AWS documentation). */
const EXPIRED = /^(?:ExpiredToken|InvalidClientTokenId|UnrecognizedClient)/;

function isRefused({ status, headers }: UpstreamHead): boolean {
  return status === 401 || (status === 403 && EXPIRED.test(String(headers['x-amzn-errortype'])));
}

/**
 * How far the clocks may differ, in milliseconds. AWS refuses signatures that are five minutes older than its own time.
 */
const CLOCKS_MAY_DIFFER = 240_000;

/**
 * Returns the outcome unchanged.
 * @throws GatewayError `upstream-auth` if it is a refusal because this machine's clock is wrong.
 */
function unlessByClock(asked: AskedRequest, { name, credentials }: Vendor): AskedRequest {
  const { answer } = asked;
  if (credentials?.type !== 'aws' || (answer.status !== 401 && answer.status !== 403)) return asked;
  const ahead = Date.now() - Date.parse(String(answer.headers['date']));
  if (Number.isNaN(ahead) || Math.abs(ahead) < CLOCKS_MAY_DIFFER) return asked;
  const minutes = Math.round(Math.abs(ahead) / 60_000);
  const message = `The vendor ${name} refused the signature of a request, because the gateway's clock is ${minutes} minutes ${ahead > 0 ? 'ahead' : 'behind'}.`;
  const cause = Object.assign(new Error('The clocks differ.'), { code: 'CLOCK_SKEW' });
  throw leftFor(answer, new GatewayError('upstream-auth', message, { cause }));
}

async function headersWith(token: CloudToken, request: Outgoing): Promise<string[]> {
  return added(request.headers, await token.headersFor(request));
}

/** Adds headers to a list of names and values in turn; they replace those of the same name. */
function added(headers: readonly string[], more: Headers): string[] {
  const all: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    if (!Object.hasOwn(more, name)) all.push(name, value);
  }
  for (const name in more) all.push(name, more[name] ?? '');
  return all;
}

/** Holds back the end of an exchange until it is decided whether that exchange counts. */
function holdEnding(report: ((how: Ending) => void) | undefined) {
  let seen: Ending | undefined;
  let counts: boolean | undefined;
  return {
    ended(how: Ending): void {
      seen = how;
      if (counts) report?.(how);
    },
    decide(isFinal: boolean): void {
      counts = isFinal;
      if (isFinal && seen !== undefined) report?.(seen);
    },
  };
}
