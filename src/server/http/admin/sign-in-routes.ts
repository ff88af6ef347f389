/**
 * Sign-in for the console: `/admin/sign-in` leads to the identity provider, which sends the browser back to
 * `/admin/sign-in/callback`; `/admin/session` says who has signed in, and `/admin/sign-out` ends that.
 */

import type { H3, H3Event } from 'h3';
import { z } from 'zod';
import { makeSealer, type SealSecrets } from '../../../access/identities/sealer.ts';
import { openSignIn, SignInFailed, type SignInOptions } from '../../../access/identities/sign-in.ts';
import type { Diagnostics } from '../../../lib/diagnostics.ts';
import { methodNotAllowed } from '../../../lib/errors.ts';
import { reportSparingly } from '../../../lib/sparing-reports.ts';
import { getNodeExchange } from '../node-exchange.ts';
import { requireConsole } from './admission.ts';
import { answerError, answerJson } from './answers.ts';
import { describeCookie, readCookie, type Sessions } from './sessions.ts';

/** How long a sign-in may take, in seconds. */
const PATIENCE = 600;

/** Who has signed in. */
export const sessionView = z.strictObject({
  object: z.literal('session'),
  name: z.string().nullable().meta({ description: 'null if nobody has signed in.' }),
  role: z.enum(['admin', 'viewer']).nullable().meta({ description: 'A viewer may change nothing.' }),
  sign_in: z.boolean().meta({ description: 'Whether people can sign in here, at `/admin/sign-in`.' }),
});

export interface SignInRoutes extends Omit<SignInOptions, 'redirectUri'> {
  /** The address of the console, as browsers reach it, without a slash at its end. */
  readonly url: string;
}

/** How many refused sign-ins have a line of their own in a minute. Whoever reaches the admin listener can cause them. */
const MAX_LINES = 30;

/**
 * How many sign-ins may end at once: for each the provider is asked, and whoever reaches the admin listener can begin as many
 * as they like.
 */
const MAX_ENDING = 32;

/** Receives the reason why somebody could not sign in. */
export type SignInReports = Pick<Diagnostics, 'info' | 'problem'>;

/** Adds the paths. @param signIn absent if nobody can sign in; then there is only `/admin/session`, which says so */
export function addSignInRoutes(
  app: H3,
  secrets: SealSecrets,
  sessions: Sessions | undefined,
  signIn: SignInRoutes | undefined,
  reports: SignInReports,
): void {
  const session = async (event: H3Event): Promise<Response> => {
    const person = await sessions?.find(getNodeExchange(event).message);
    return answerJson({
      object: 'session',
      name: person?.name ?? null,
      role: person?.role ?? null,
      sign_in: signIn !== undefined,
    });
  };
  get('/admin/session', session);
  app.head('/admin/session', session);
  if (signIn === undefined || sessions === undefined) return;

  const provider = openSignIn({ ...signIn, redirectUri: `${signIn.url}/admin/sign-in/callback` });
  const { seal, open } = makeSealer(secrets, 'console sign-in');
  // `Lax`, since the provider sends the browser here from its own site.
  const isSecure = signIn.url.startsWith('https:');
  const { name: cookie, attributes } = describeCookie('gateway_sign_in', isSecure, 'Lax');
  const log = logRefusals(reports.info);
  const forget = `${cookie}=; Max-Age=0; ${attributes}`;

  let ending = 0;

  get('/admin/sign-in', async () => {
    try {
      const { url, pending } = await provider.begin();
      const sealed = await seal({ ...pending }, PATIENCE);
      return redirect(url, `${cookie}=${sealed}; Max-Age=${PATIENCE}; ${attributes}`);
    } catch (error) {
      return refuse(error, forget, log, reports.problem);
    }
  });
  get('/admin/sign-in/callback', async (event) => {
    try {
      const { message } = getNodeExchange(event);
      const kept = await open(readCookie(message, cookie) ?? '');
      const { state, nonce, verifier } = kept ?? {};
      if (typeof state !== 'string' || typeof nonce !== 'string' || typeof verifier !== 'string')
        throw new SignInFailed('This sign-in was not begun in this browser, or took too long.');
      if (ending >= MAX_ENDING) return tooMany();
      const query = new URL(message.url ?? '/', signIn.url).search;
      const callback = new URL(`${signIn.url}/admin/sign-in/callback${query}`);
      ending += 1;
      const person = await provider.end(callback, { state, nonce, verifier }).finally(() => {
        ending -= 1;
      });
      return redirect(`${signIn.url}/#/usage`, await sessions.begin(person), forget);
    } catch (error) {
      return refuse(error, forget, log, reports.problem);
    }
  });
  app.post('/admin/sign-out', (event) => {
    requireConsole(getNodeExchange(event).message);
    const response = answerJson({ object: 'session', name: null, role: null, sign_in: true });
    response.headers.append('set-cookie', sessions.end());
    return response;
  });
  app.all('/admin/sign-out', () => answerError(methodNotAllowed('POST')));

  function get(path: string, answer: (event: H3Event) => Promise<Response>): void {
    app.get(path, answer);
    app.all(path, () => answerError(methodNotAllowed('GET')));
  }
}

function redirect(location: string, ...cookies: readonly string[]): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 302, headers });
}

/**
 * @returns the function to call with the reason of each refused sign-in. Beyond MAX_LINES a minute only the last one
 *   has its reason.
 */
function logRefusals(info: SignInReports['info']): (reason: string) => void {
  let last = '';
  const say = reportSparingly((refused) => {
    info(
      refused === 1
        ? `A sign-in to the console was refused: ${last}`
        : `${refused} sign-ins to the console were refused, the last one: ${last}`,
    );
  }, MAX_LINES);
  return (reason) => {
    last = reason;
    say();
  };
}

/** The browser keeps what it has begun, so that loading the page again ends the sign-in. */
function tooMany(): Response {
  return sentence('Too many people are signing in at once. Load this page again.', 503, {
    'retry-after': '1',
  });
}

/** The refusal of a sign-in. The log has its reason too, for whoever can fix what is wrong. */
function refuse(
  error: unknown,
  cookie: string,
  log: (reason: string) => void,
  problem: SignInReports['problem'],
): Response {
  const known = error instanceof SignInFailed;
  if (known) log(error.message);
  else problem('A sign-in to the console failed.', error);
  return sentence(known ? error.message : 'The sign-in failed.', known ? 403 : 500, { 'set-cookie': cookie });
}

/** A page of one sentence, since a browser shows it. */
function sentence(text: string, status: number, headers: Readonly<Record<string, string>>): Response {
  return new Response(`${text}\n`, {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  });
}
