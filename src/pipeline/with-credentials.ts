/**
 * A request to a vendor that has a pass of a cloud instead of a key: the last thing that is done to it, since some are
 * signatures of all the rest. One that is refused is had anew, and the request made once more, before that counts.
 */

import { asGatewayError, GatewayError } from '../lib/errors.ts';
import type { Headers, Outgoing, Pass } from '../upstream/credentials/cloud.ts';
import type { CloudTokens } from '../upstream/credentials/cloud-tokens.ts';
import { type Ending, leftFor, type UpstreamAnswer, type UpstreamHead } from '../upstream/send.ts';
import type { Vendor } from '../upstream/vendor.ts';

/** Makes the request, with these headers. */
export type Ask = (headers: string[], ended: ((how: Ending) => void) | undefined) => Promise<UpstreamAnswer>;

export interface Passing {
  readonly vendor: Vendor;
  readonly request: Outgoing;
  readonly signal: AbortSignal;
  /** Told once how the exchange ended that counts. */
  readonly ended: ((how: Ending) => void) | undefined;
}

export interface Passed {
  readonly answer: UpstreamAnswer;
  /** What was shown, of which nobody is told. */
  readonly secret: string;
}

/** @throws GatewayError `upstream-auth` where there is no pass, or the clock is why it is refused; and what `ask` throws. */
export async function withCredentials(
  passes: CloudTokens,
  { vendor, request, signal, ended }: Passing,
  ask: Ask,
): Promise<Passed> {
  const pass = await passOf(passes, vendor, signal).catch((error: unknown) => {
    // Whatever is asked there fails: another upstream is asked for a while.
    if (!signal.aborted) ended?.('broken');
    throw error;
  });
  const ending = toldLater(ended);
  const first = await ask(await headersWith(pass, request), ended && ending.ended).catch((error: unknown) => {
    ending.decide(true);
    throw error;
  });
  const next = isRefused(first) ? await renewed(passes, vendor, pass, signal) : undefined;
  ending.decide(next === undefined);
  if (next === undefined) return { answer: unlessByClock(first, vendor), secret: pass.secret };
  if (!(first.body instanceof Uint8Array)) first.body.cancel();
  const answer = await ask(await headersWith(next, request), ended);
  return { answer: unlessByClock(answer, vendor), secret: next.secret };
}

/** Waits for one no longer than its caller does. */
async function passOf(passes: CloudTokens, vendor: Vendor, signal: AbortSignal): Promise<Pass> {
  const pass = passes.of(vendor);
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
  passes: CloudTokens,
  vendor: Vendor,
  pass: Pass,
  signal: AbortSignal,
): Promise<Pass | undefined> {
  const coming = passes.renew(vendor, pass);
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

/** The answer. @throws GatewayError where it is a refusal for what this machine's clock says. */
function unlessByClock(answer: UpstreamAnswer, { name, credentials }: Vendor): UpstreamAnswer {
  if (credentials?.type !== 'aws' || (answer.status !== 401 && answer.status !== 403)) return answer;
  const ahead = Date.now() - Date.parse(String(answer.headers['date']));
  if (Number.isNaN(ahead) || Math.abs(ahead) < CLOCKS_MAY_DIFFER) return answer;
  const minutes = Math.round(Math.abs(ahead) / 60_000);
  const told = `The vendor ${name} refused the signature of a request, because the gateway's clock is ${minutes} minutes ${ahead > 0 ? 'ahead' : 'behind'}.`;
  const cause = Object.assign(new Error('The clocks differ.'), { code: 'CLOCK_SKEW' });
  throw leftFor(answer, new GatewayError('upstream-auth', told, { cause }));
}

async function headersWith(pass: Pass, request: Outgoing): Promise<string[]> {
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
