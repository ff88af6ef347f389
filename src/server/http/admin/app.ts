/** The admin API, as the table of its operations says. */

import { H3, type H3Event } from 'h3';
import { type BudgetOptions, openBudgetReport } from '../../../accounting/usage/budget-report.ts';
import type { LogProblem } from '../../../lib/diagnostics.ts';
import { asGatewayError, GatewayError, methodNotAllowed } from '../../../lib/errors.ts';
import { faultOfHead, parseQuery, rawPath } from '../../../pipeline/request/request-head.ts';
import type { Actor } from '../../../store/actor.ts';
import { actingAs } from '../../../store/audit.ts';
import type { Store } from '../../../store/store.ts';
import { asStoreFailure } from '../../../store/store-failure.ts';
import { getNodeExchange } from '../node-exchange.ts';
import { reportFailure } from '../report-failure.ts';
import { ownRequestId, requestIds } from '../request-ids.ts';
import { readActor } from './actor.ts';
import type { Admit } from './admission.ts';
import { type AdminRequest, answerError, NO_ENDPOINT } from './answers.ts';
import { type AdminOperation, adminOperations, type Method } from './operations.ts';

export interface AdminOptions extends Pick<BudgetOptions, 'configured' | 'otherNames'> {
  readonly admit: Admit;
  /** Receives a line for each request that fails by no fault of its caller. */
  readonly problem: LogProblem;
  /** Called when keys or groups may have changed. */
  readonly onKeys?: () => void;
  /** Called with each entry of the audit trail. */
  readonly onAudit?: Actor['onEntry'];
  /** The time zone of days in reports; absent means UTC. */
  readonly timeZone?: string;
}

/**
 * @returns an app that answers every path below `/admin`, unknown ones by 404. Routes for other paths can be added to it.
 */
export function createAdminApp(
  store: Store,
  { admit, problem, onKeys = () => {}, onAudit, timeZone = 'UTC', configured, otherNames }: AdminOptions,
): H3 {
  const readBudgets = openBudgetReport(store, {
    timeZone,
    ...(configured !== undefined && { configured }),
    ...(otherNames !== undefined && { otherNames }),
  });
  const makeId = requestIds();
  const app = new H3({
    silent: true,
    allowMalformedURL: true,
    onError: (error, event) => fail(event, rawPath(getNodeExchange(event).message), error.cause ?? error),
  });
  // Before any route, those that are added later too: routing normalizes a path, and a proxy in front may have let it pass
  // as another one.
  app.use((event) => {
    const fault = faultOfHead(getNodeExchange(event).message);
    return fault && answerError(fault);
  });
  for (const [path, methods] of Object.entries(adminOperations)) {
    const allow = Object.keys(methods).join(', ');
    app.all(path.replace(/\{(\w+)\}/, ':$1'), (event) => {
      const method = servedMethod(event);
      const operation = isMethod(method) ? methods[method] : undefined;
      return answer(event, path, () => {
        if (operation === undefined) throw methodNotAllowed(allow);
        return operation;
      });
    });
  }
  app.all('/admin/**', (event) =>
    answer(event, '', () => {
      throw new GatewayError('not-found', NO_ENDPOINT);
    }),
  );
  return app;

  /** @param path as a template, for the log. */
  async function answer(event: H3Event, path: string, find: () => AdminOperation): Promise<Response> {
    try {
      const request = { ...readRequest(event), timeZone, readBudgets };
      const person = await admit(request.message);
      const actor = readActor(request.message, person?.name, onAudit);
      const response = await find().run(actingAs(store, actor), request);
      if (servedMethod(event) !== 'GET') onKeys();
      return response;
    } catch (error) {
      return fail(event, path, error instanceof GatewayError ? error : await asStoreFailure(store, error));
    }
  }

  function fail(event: H3Event, path: string, thrown: unknown): Response {
    const { message } = getNodeExchange(event);
    const error = asGatewayError(thrown);
    const response = answerError(error);
    if (error.fault !== 'internal') return response;
    const id = ownRequestId(message) ?? makeId();
    reportFailure(problem, `${message.method} ${path}`, id, error);
    response.headers.set('x-request-id', id);
    return response;
  }
}

function readRequest(event: H3Event): Omit<AdminRequest, 'timeZone' | 'readBudgets'> {
  const { message, response } = getNodeExchange(event);
  return {
    message,
    response,
    query: parseQuery(message),
    named: pathParameter(event.context.params ?? {}),
  };
}

/** The key or group that a path names. @throws GatewayError `not-found` for text that cannot be a name. */
function pathParameter(params: Readonly<Record<string, string>>): string {
  const [[kind, text] = ['key', '']] = Object.entries(params);
  try {
    const name = decodeURIComponent(text);
    // PostgreSQL does not accept text with U+0000, even in a query.
    if (!name.includes('\0')) return name;
  } catch {
    // Malformed percent-encoding cannot be a name either.
  }
  throw new GatewayError('not-found', `There is no such ${kind}.`);
}

/** HEAD is served as GET, and Node leaves the body out (RFC 9110, 9.3.2). */
function servedMethod({ req: { method } }: H3Event): string {
  return method === 'HEAD' ? 'GET' : method;
}

function isMethod(method: string): method is Method {
  return method === 'GET' || method === 'POST' || method === 'PATCH' || method === 'DELETE';
}
