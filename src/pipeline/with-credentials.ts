/**
 * A request to a vendor that has a pass of a cloud instead of a key: the last thing that is done to it, since some are
 * signatures of all the rest. One that is refused is had anew, and the request made once more, before that counts.
 */

import { asGatewayError, GatewayError } from '../lib/errors.ts';
import type { CloudPass, Headers, Outgoing } from '../upstream/credentials/cloud.ts';
import type { CloudTokens } from '../upstream/credentials/cloud-tokens.ts';
import { cancelBody, type Ending, leftFor, type UpstreamHead } from '../upstream/send.ts';
import type { Vendor } from '../upstream/vendor.ts';
import type { Answered } from './exchange.ts';

/** What comes of a request to a vendor. */
export type Asked = Pick<Answered, 'answer' | 'secret' | 'beginning'>;

/** Makes the request with these headers, of which `secret` is to be seen by nobody. */
export type Ask = (
  headers: string[],
  secret: string,
  ended: ((how: Ending) => void) | undefined,
) => Promise<Asked>;

export interface CredentialedRequest {
  readonly vendor: Vendor;
  readonly request: Outgoing;
  readonly signal: AbortSignal;
  /** Called once with how the exchange ended that counts. */
  readonly ended: ((how: Ending) => void) | undefined;
}

/** @throws GatewayError `upstream-auth` where there is no token, or the clock is why it is refused; and what `ask` throws. */
export async function withCredentials(
  cloudTokens: CloudTokens,
  { vendor, request, signal, ended }: CredentialedRequest,
  ask: Ask,
): Promise<Asked> {
  const pass = await passOf(cloudTokens, vendor, signal).catch((error: unknown) => {
    // Whatever is asked there fails: another upstream is asked for a while.
    if (!signal.aborted) ended?.('broken');
    throw error;
  });
  const ending = toldLater(ended);
  const first = await ask(await headersWith(pass, request), pass.secret, ended && ending.ended).catch(
    (error: unknown) => {
      ending.decide(true);
      throw error;
    },
  );
  const next = isRefused(first.answer) ? await renewed(cloudTokens, vendor, pass, signal) : undefined;
  ending.decide(next === undefined);
  if (next === undefined) return unlessByClock(first, vendor);
  cancelBody(first.answer.body);
  return unlessByClock(await ask(await headersWith(next, request), next.secret, ended), vendor);
}

/** Waits for one no longer than its caller does. */
async function passOf(cloudTokens: CloudTokens, vendor: Vendor, signal: AbortSignal): Promise<CloudPass> {
  const pass = cloudTokens.of(vendor);
  return pass instanceof Promise ? unlessLeft(pass, signal) : pass;
}

async function unlessLeft<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const left = Promise.withResolvers<never>();
  const leave = (): void => left.reject(asGatewayError(signal.reason));
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  return Promise.race([promise, left.promise]).finally(() => signal.removeEventListener('abort', leave));
}

/** Another pass than the one that was refused; undefined where there is none, and the refusal stands. */
async function renewed(
  cloudTokens: CloudTokens,
  vendor: Vendor,
  pass: CloudPass,
  signal: AbortSignal,
): Promise<CloudPass | undefined> {
  const coming = cloudTokens.renew(vendor, pass);
  const next = coming && (await unlessLeft(coming, signal).catch(() => undefined));
  return next === undefined || next.secret === pass.secret ? undefined : next;
}

/** What AWS refuses by a 403 where others say 401 ("Common error types", AWS documentation). */
const EXPIRED = /^(?:ExpiredToken|InvalidClientTokenId|UnrecognizedClient)/;

function isRefused({ status, headers }: UpstreamHead): boolean {
  return status === 401 || (status === 403 && EXPIRED.test(String(headers['x-amzn-errortype'])));
}

/** By how much clocks may differ: AWS refuses signatures that are five minutes older than its own, in milliseconds. */
const CLOCKS_MAY_DIFFER = 240_000;

/** What was asked. @throws GatewayError where its answer is a refusal for what this machine's clock says. */
function unlessByClock(asked: Asked, { name, credentials }: Vendor): Asked {
  const { answer } = asked;
  if (credentials?.type !== 'aws' || (answer.status !== 401 && answer.status !== 403)) return asked;
  const ahead = Date.now() - Date.parse(String(answer.headers['date']));
  if (Number.isNaN(ahead) || Math.abs(ahead) < CLOCKS_MAY_DIFFER) return asked;
  const minutes = Math.round(Math.abs(ahead) / 60_000);
  const told = `The vendor ${name} refused the signature of a request, because the gateway's clock is ${minutes} minutes ${ahead > 0 ? 'ahead' : 'behind'}.`;
  const cause = Object.assign(new Error('The clocks differ.'), { code: 'CLOCK_SKEW' });
  throw leftFor(answer, new GatewayError('upstream-auth', told, { cause }));
}

async function headersWith(pass: CloudPass, request: Outgoing): Promise<string[]> {
  return added(request.headers, await pass.headersFor(request));
}

/** Headers, names and values in turn, with others in the place of their like. */
export function added(headers: readonly string[], more: Headers): string[] {
  const all: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    if (!Object.hasOwn(more, name)) all.push(name, value);
  }
  for (const name in more) all.push(name, more[name] ?? '');
  return all;
}

/** Keeps the end of an exchange until it is decided whether it counts. */
function toldLater(tell: ((how: Ending) => void) | undefined) {
  let seen: Ending | undefined;
  let counts: boolean | undefined;
  return {
    ended(how: Ending): void {
      seen = how;
      if (counts) tell?.(how);
    },
    decide(told: boolean): void {
      counts = told;
      if (told && seen !== undefined) tell?.(seen);
    },
  };
}
