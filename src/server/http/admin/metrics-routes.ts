/** What an operator looks at on the admin listener: the metrics, with the admin key, and the console, which asks for it. */

import type { H3, H3Event } from 'h3';
import type { SealSecrets } from '../../../access/identities/sealer.ts';
import { answerMetrics, type RenderMetrics } from '../../../accounting/metrics/metrics-endpoint.ts';
import type { ConfigEntry } from '../../../config/describe-config.ts';
import { GatewayError, methodNotAllowed } from '../../../lib/errors.ts';
import { rawPath } from '../../../pipeline/request/request-head.ts';
import { openConsole } from '../../pages/console.ts';
import { getNodeExchange } from '../node-exchange.ts';
import { openDescription } from '../openapi/document.ts';
import type { Admit } from './admission.ts';
import { answerError, NO_ENDPOINT } from './answers.ts';
import { answerConfig } from './config-route.ts';
import { addCallForwarding, type CallersAddress } from './forward-calls.ts';
import type { Sessions } from './sessions.ts';
import { addSignInRoutes, type SignInReports, type SignInRoutes } from './sign-in-routes.ts';

export interface WatchOptions {
  readonly admit: Admit;
  /** What cookies of the console are sealed with. The current secret is the admin key in force. */
  readonly secrets: SealSecrets;
  /** How people sign in, and their sessions; absent if nobody can. */
  readonly signIn?: SignInRoutes | undefined;
  readonly sessions?: Sessions | undefined;
  /** Receives the reason why somebody could not sign in. */
  readonly reports: SignInReports;
  readonly render: RenderMetrics;
  /** Says where each value of the configuration comes from. */
  readonly describe: () => readonly ConfigEntry[];
  /** Where the gateway listens for callers, as soon as it does. */
  readonly gateway: Promise<CallersAddress>;
}

/**
 * Adds `/metrics`, `/admin/config`, `/openapi.json`, the console at `/`, what it asks the models by, and 404 for every
 * path not added before.
 */
export function addWatchRoutes(
  app: H3,
  { admit, secrets, signIn, sessions, reports, render, describe, gateway }: WatchOptions,
): void {
  const page = openConsole();

  const metrics = async (event: H3Event): Promise<Response> => {
    await admit(getNodeExchange(event).message);
    return answerMetrics(render);
  };
  const configuration = async (event: H3Event): Promise<Response> => {
    await admit(getNodeExchange(event).message);
    return answerConfig(describe());
  };
  const file = async (event: H3Event): Promise<Response> => {
    const { message } = getNodeExchange(event);
    return (await page(rawPath(message), message.headers)) ?? answerError(noEndpoint());
  };
  addCallForwarding(app, gateway);
  addSignInRoutes(app, secrets, sessions, signIn, reports);
  for (const [path, answer] of [
    ['/', file],
    ['/metrics', metrics],
    ['/admin/config', configuration],
    // The port for callers has it too, but whoever administers may reach only this one.
    ['/openapi.json', openDescription()],
    ['/console/**', file],
  ] as const) {
    app.get(path, answer);
    app.head(path, answer);
    app.all(path, () => answerError(methodNotAllowed('GET')));
  }
  app.all('/**', () => answerError(noEndpoint()));
}

function noEndpoint(): GatewayError {
  return new GatewayError('not-found', NO_ENDPOINT);
}
