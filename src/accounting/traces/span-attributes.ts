/** Describes an exchange's record in the terms of OpenTelemetry's semantic conventions for GenAI and HTTP. */

import type { Attributes } from '@opentelemetry/api';
import { modelName } from '../../catalog/catalog.ts';
import { isStored, POST_ROUTES, type Route, STORED_ENDPOINTS } from '../../conversation/route.ts';
import type { ExchangeRecord } from '../usage/exchange-record.ts';

/** The paths of routes, but for those of generate-content and of stored responses. */
const PATHS: ReadonlyMap<string, string> = new Map(
  Object.entries(POST_ROUTES).map(([path, { format, operation }]) => [`${format} ${operation}`, path]),
);

/** The conventions' names of vendors, if they differ from the catalog's. */
const PROVIDERS: Readonly<Record<string, string>> = {
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
  mistralai: 'mistral_ai',
  xai: 'x_ai',
  'x-ai': 'x_ai',
  moonshotai: 'moonshot_ai',
};

/** The path of a route as documented, never as it was sent. */
export function routeName({ format, operation }: Route): string {
  if (isStored(operation)) return `/v1/responses/{id}${STORED_ENDPOINTS[operation].action}`;
  const ofGoogle = operation === 'count-tokens' ? 'countTokens' : 'generateContent';
  return PATHS.get(`${format} ${operation}`) ?? `/v1beta/models/{model}:${ofGoogle}`;
}

/** The method of a route. */
export function routeMethod({ operation }: Pick<Route, 'operation'>): string {
  return isStored(operation) ? STORED_ENDPOINTS[operation].method : 'POST';
}

/** The operation that the vendor is asked for: as the conventions name it, or the gateway if they do not. */
export function operationName({ operation, spoken }: Pick<ExchangeRecord, 'operation' | 'spoken'>): string {
  if (operation === 'count-tokens') return 'count_tokens';
  if (isStored(operation)) return `${operation.replace('-', '_')}_response`;
  return spoken === 'generate-content' ? 'generate_content' : 'chat';
}

/** The name of the span for the vendor's answer. */
export function spanName(record: ExchangeRecord): string {
  const operation = operationName(record);
  return record.model === undefined ? operation : `${operation} ${modelName(record.model)}`;
}

/**
 * The attributes of the span for the vendor's answer. @param askedAt when the vendor was first asked, in milliseconds
 * since 1970.
 */
export function clientAttributes(record: ExchangeRecord, askedAt: number): Attributes {
  const { model, vendor = '', usage, streamed, firstByte, cost, attempts, gaveWay, upstreamId } = record;
  const [asked] = gaveWay ?? [];
  return {
    'gen_ai.operation.name': operationName(record),
    'gen_ai.provider.name': PROVIDERS[vendor] ?? vendor,
    ...(model !== undefined && { 'gen_ai.request.model': modelName(model), 'gateway.model': model }),
    'gen_ai.request.stream': streamed,
    ...(streamed &&
      firstByte !== undefined && {
        'gen_ai.response.time_to_first_chunk': Math.max(0, record.time + firstByte - askedAt) / 1_000,
      }),
    ...(usage.input !== undefined && { 'gen_ai.usage.input_tokens': usage.input }),
    ...(usage.output !== undefined && { 'gen_ai.usage.output_tokens': usage.output }),
    ...(usage.cacheRead !== undefined && { 'gen_ai.usage.cache_read.input_tokens': usage.cacheRead }),
    ...(usage.cacheWrite !== undefined && { 'gen_ai.usage.cache_write.input_tokens': usage.cacheWrite }),
    ...(usage.reasoning !== undefined && { 'gen_ai.usage.reasoning.output_tokens': usage.reasoning }),
    ...(cost !== undefined && { 'gateway.cost': cost }),
    'gateway.attempts': attempts,
    ...(upstreamId !== undefined && { 'gateway.upstream.request.id': upstreamId }),
    ...(asked !== undefined && { 'gateway.asked_model': asked.model }),
    ...(isFailure(record, 400) && { 'error.type': record.fault ?? String(record.status) }),
  };
}

/** The attributes of the span for the caller's request. */
export function serverAttributes(record: ExchangeRecord): Attributes {
  return {
    'http.request.method': routeMethod(record),
    'http.route': routeName(record),
    'http.response.status_code': record.status,
    'gateway.request.id': record.id,
    'gateway.format': record.format,
    'gateway.outcome': record.outcome,
    ...(record.key !== undefined && { 'gateway.key': record.key }),
    ...(record.group !== undefined && { 'gateway.group': record.group }),
    ...(record.tag !== undefined && { 'gateway.tag': record.tag }),
    ...(isFailure(record, 500) && { 'error.type': record.fault ?? String(record.status) }),
  };
}

/**
 * Whether a span reports an error. The caller's request does from status 500 on, the request to the vendor from 400 on:
 * a mistake of the client is not a failure of the server (HTTP semantic conventions).
 */
export function isFailure({ outcome, status }: ExchangeRecord, from: number): boolean {
  return outcome === 'failed' || status >= from;
}
