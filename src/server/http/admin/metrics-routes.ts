/** What an operator looks at on the admin listener: the metrics, with the admin key, and the dashboard, which asks for it. */

import type { H3, H3Event } from 'h3';
import { answerMetrics, type RenderMetrics } from '../../../accounting/metrics/metrics-endpoint.ts';
import { GatewayError, methodNotAllowed } from '../../../lib/errors.ts';
import { rawPath } from '../../../pipeline/request-head.ts';
import { openDashboard } from '../../pages/dashboard.ts';
import { getNodeExchange } from '../node-exchange.ts';
import { answerError } from './answers.ts';
import { authenticateAdmin } from './authenticate-admin.ts';

export interface WatchOptions {
  /** The admin key. */
  readonly key: string;
  readonly render: RenderMetrics;
}

/** Adds `/metrics`, `/dashboard` with its files, `/`, which redirects there, and 404 for every path not added before. */
export function addWatchRoutes(app: H3, { key, render }: WatchOptions): void {
  const admit = authenticateAdmin(key);
  const page = openDashboard();

  const metrics = async (event: H3Event): Promise<Response> => {
    try {
      admit(getNodeExchange(event).message);
      return await answerMetrics(render);
    } catch (error) {
      return answerError(error);
    }
  };
  const file = (event: H3Event): Response => {
    const { message } = getNodeExchange(event);
    return page(rawPath(message), message.headers['if-none-match']) ?? answerError(notThere());
  };
  for (const [path, answer] of [
    ['/', toDashboard],
    ['/metrics', metrics],
    ['/dashboard', file],
    ['/dashboard/**', file],
  ] as const) {
    app.get(path, answer);
    app.head(path, answer);
    app.all(path, () => answerError(methodNotAllowed('GET')));
  }
  app.all('/**', () => answerError(notThere()));
}

/** The address is relative, since a proxy may serve this below a path of its own. */
function toDashboard(): Response {
  return new Response(null, { status: 302, headers: { location: 'dashboard' } });
}

function notThere(): GatewayError {
  return new GatewayError('not-found', 'There is no such endpoint.');
}
