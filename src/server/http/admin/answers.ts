/** Reads requests to the admin API, and forms its answers. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { z } from 'zod';
import type { ReadBudgets } from '../../../accounting/usage/budget-report.ts';
import { acceptsGzip } from '../../../lib/accepts-gzip.ts';
import { GatewayError } from '../../../lib/errors.ts';
import { parseJson } from '../../../lib/json.ts';
import type { Query } from '../../../lib/query.ts';
import { zodMessages } from '../../../lib/zod-messages.ts';
import { readBody } from '../../../pipeline/body/read-body.ts';
import { mapInTurns } from '../../../store/map-in-turns.ts';
import { NOT_KEPT } from '../not-kept.ts';

/** A request to the admin API. */
export interface AdminRequest {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: Query;
  /** Reads what is spent of budgets. */
  readonly readBudgets: ReadBudgets;
  /** The time zone of days in reports. */
  readonly timeZone: string;
  /** The value of `{key}` or `{group}` in the path; '' if the path has neither. */
  readonly named: string;
}

/** The largest body in bytes: a thousand models fit in. */
const BODY_LIMIT = 512 * 1024;

/** Said of a path that does not exist. */
export const NO_ENDPOINT = 'There is no such endpoint. /openapi.json describes all there are.';

/** An error's body. */
export const errorBody = z.strictObject({
  error: z.strictObject({
    message: z.string(),
    code: z.string(),
    param: z.string().nullable().meta({ description: 'The field that is wrong.' }),
  }),
});

/** A JSON answer. */
export function answerJson(body: unknown, status = 200): Response {
  return Response.json(body, { status, headers: NOT_KEPT });
}

/** The fewest characters of an answer that is compressed. */
const WORTH_COMPRESSING = 16 * 1024;

const compress = promisify(gzip);

/**
 * A list as a JSON answer. It may have 10,000 lines, and callers are served while they are rendered. A long one is
 * compressed for clients that say they take it: its lines have the same names of fields.
 * @param message the request.
 * @param rows the answer, with the rows that `render` makes into lines.
 * @typeParam L the answer as it is sent.
 */
export async function answerRows<L extends { readonly data: readonly unknown[] }, R>(
  { headers: asked }: IncomingMessage,
  rows: Omit<L, 'data'> & { readonly data: readonly R[] },
  render: (row: R) => L['data'][number],
): Promise<Response> {
  const lines = await mapInTurns(rows.data, (row) => JSON.stringify(render(row)));
  const fields = Object.entries(rows).map(([name, value]) => {
    const text = name === 'data' ? `[${lines.join(',')}]` : JSON.stringify(value);
    return `${JSON.stringify(name)}:${text}`;
  });
  const text = `{${fields.join(',')}}`;
  const headers = { 'content-type': 'application/json', ...NOT_KEPT };
  if (text.length < WORTH_COMPRESSING || !acceptsGzip(asked['accept-encoding'])) {
    return new Response(text, { headers });
  }
  // At the fastest level, in a thread of libuv's.
  return new Response(await compress(text, { level: 1 }), {
    headers: { ...headers, 'content-encoding': 'gzip' },
  });
}

/** An error as an answer. */
export function answerError(error: GatewayError): Response {
  const { fault, status, message, param, code, headers } = error;
  const body: z.output<typeof errorBody> = {
    error: { message, code: code ?? fault.replaceAll('-', '_'), param: param ?? null },
  };
  const response = answerJson(body, status);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/** The body, checked by `schema`; a missing body counts as `{}`. @throws GatewayError `invalid-request` */
export async function readAs<S extends z.ZodType>(request: AdminRequest, schema: S): Promise<z.output<S>> {
  const bytes = await readBytes(request);
  return checked(bytes.length === 0 ? {} : parse(bytes), schema);
}

/** The body, checked by `schema`. @throws GatewayError `invalid-request`, also if there is no body. */
export async function readRequiredAs<S extends z.ZodType>(
  request: AdminRequest,
  schema: S,
): Promise<z.output<S>> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) throw new GatewayError('invalid-request', 'The request has no body.');
  return checked(parse(bytes), schema);
}

function readBytes({ message, response }: AdminRequest): Promise<Buffer> {
  return readBody(message, response, { limit: BODY_LIMIT, decompress: undefined });
}

/** A value, checked by `schema`. @throws GatewayError `invalid-request` that names the field. */
export function checked<S extends z.ZodType>(value: unknown, schema: S): z.output<S> {
  const parsed = schema.safeParse(value, { error: zodMessages });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const param = issue?.path.join('.') ?? '';
  const message = issue?.message ?? 'This is not a valid value.';
  throw new GatewayError(
    'invalid-request',
    param === '' ? message : `${param}: ${message}`,
    param === '' ? {} : { param },
  );
}

function parse(bytes: Buffer): unknown {
  try {
    return parseJson(bytes.toString('utf8'));
  } catch {
    throw new GatewayError('invalid-request', 'The body is not valid JSON.');
  }
}
