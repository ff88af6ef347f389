/**
 * OpenTelemetry traces: a span for the caller's request, and in it one for the vendor's answer, named and described by
 * the GenAI semantic conventions (github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai/client-inference.md).
 * What is asked and answered is never in them, nor an address. Nothing of OpenTelemetry is loaded before an endpoint
 * is set; its SDK reads the other OTEL_ variables (headers, sampler, resource) from the environment by itself.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { Span, SpanContext, Tracer } from '@opentelemetry/api';
import type { SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Route } from '../../conversation/route.ts';
import { invalidConfig } from '../../lib/config-error.ts';
import type { Environment } from '../../lib/environment.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { requirePackages } from '../../upstream/optional-packages.ts';
import type { ExchangeRecord } from '../usage/exchange-record.ts';
import {
  clientAttributes,
  isFailure,
  operationName,
  routeName,
  serverAttributes,
  spanName,
} from './span-attributes.ts';
import { parseTraceParent, renderTraceParent } from './trace-context.ts';

/** The trace of one exchange. */
export interface ExchangeTrace {
  /**
   * A vendor is about to be asked. Where it is asked again, the span goes on: it covers every try.
   * @returns the headers that carry the trace on to it.
   */
  ask(): Readonly<Record<string, string>>;
  /** What became of the exchange: ends at the moment its record says. */
  end(record: ExchangeRecord): void;
}

export interface Traces {
  /** A request has come, with these headers. */
  begin(route: Route, headers: IncomingHttpHeaders): ExchangeTrace;
  /** How many spans could not be delivered. */
  lost(): number;
  /** Delivers what waits, for so many milliseconds at most. */
  close(milliseconds: number): Promise<void>;
}

type Api = typeof import('@opentelemetry/api');
type Sdk = typeof import('@opentelemetry/sdk-trace');

/** Spans that wait for the collector at most. */
const MOST_WAITING = 2_048;

/**
 * Traces, where the environment names an endpoint (OTEL_EXPORTER_OTLP_ENDPOINT or its TRACES variant) and does not
 * turn them off; else undefined, and nothing is loaded.
 * @throws ConfigError where the endpoint is no URL, or the packages of OpenTelemetry are not installed.
 */
export async function openTraces(environment: Environment): Promise<Traces | undefined> {
  const url = endpointOf(environment);
  if (url === undefined) return undefined;
  requirePackages('traces', 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const [api, sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  let lost = 0;
  const resource = resources
    .defaultResource()
    .merge(resources.resourceFromAttributes({ 'service.name': 'gateway' }))
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const provider = new sdk.TracerProvider({
    resource,
    spanProcessors: [
      delivering(api, sdk, new OTLPTraceExporter({ url }), (spans) => {
        lost += spans;
      }),
    ],
  });
  const tracer = provider.getTracer('gateway');
  return {
    begin: (route, headers) => beginTrace(api, tracer, route, headers),
    lost: () => lost,
    async close(milliseconds) {
      // That it failed is counted where it did.
      await withTimeout(
        provider.shutdown().catch(() => undefined),
        milliseconds,
      );
    },
  };
}

function endpointOf(environment: Environment): string | undefined {
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return undefined;
  if (environment['OTEL_TRACES_EXPORTER'] === 'none') return undefined;
  const own = environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  const shared = environment['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const url = own || (shared && `${shared.replace(/\/+$/, '')}/v1/traces`);
  if (!url) return undefined;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw invalidConfig(
      `${own ? 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' : 'OTEL_EXPORTER_OTLP_ENDPOINT'} must be an http or https URL.`,
    );
  }
  return url;
}

/**
 * What delivers spans, many at once, and tells of those that the collector did not take, or not as fast as they came: the
 * SDK keeps that to itself.
 */
function delivering(
  api: Api,
  sdk: Sdk,
  exporter: SpanExporter,
  onLost: (spans: number) => void,
): SpanProcessor {
  let waiting = 0;
  const batches = new sdk.BatchSpanProcessor({
    maxQueueSize: MOST_WAITING,
    exporter: {
      export(spans, done) {
        waiting -= spans.length;
        exporter.export(spans, (result) => {
          if (result.code !== 0) onLost(spans.length);
          done(result);
        });
      },
      forceFlush: async () => exporter.forceFlush?.(),
      shutdown: () => exporter.shutdown(),
    },
  });
  return {
    onStart: (span, context) => batches.onStart(span, context),
    onEnd(span) {
      // No other one is delivered.
      if ((span.spanContext().traceFlags & api.TraceFlags.SAMPLED) === 0) return;
      if (waiting >= MOST_WAITING) return onLost(1);
      waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}

function beginTrace(api: Api, tracer: Tracer, route: Route, headers: IncomingHttpHeaders): ExchangeTrace {
  const caller = callerOf(api, headers);
  const outside =
    caller === undefined ? api.ROOT_CONTEXT : api.trace.setSpanContext(api.ROOT_CONTEXT, caller);
  const server = tracer.startSpan(`POST ${routeName(route)}`, { kind: api.SpanKind.SERVER }, outside);
  let client: Span | undefined;
  let askedAt = 0;
  return {
    ask() {
      if (client === undefined) {
        askedAt = Date.now();
        client = tracer.startSpan(
          operationName(route),
          { kind: api.SpanKind.CLIENT },
          api.trace.setSpan(outside, server),
        );
      }
      return headersOf(client.spanContext());
    },
    end(record) {
      // Told a moment later. A millisecond may have begun between what it is counted from and the span's beginning.
      const over = record.time + record.duration;
      if (client !== undefined) {
        client.updateName(spanName(record));
        client.setAttributes(clientAttributes(record, askedAt));
        if (isFailure(record, 400)) client.setStatus({ code: api.SpanStatusCode.ERROR });
        client.end(Math.max(over, askedAt));
      }
      // generate-content tells only in its path what is asked: whoever began did not know it yet.
      server.updateName(`POST ${routeName(record)}`);
      server.setAttributes(serverAttributes(record));
      if (isFailure(record, 500)) server.setStatus({ code: api.SpanStatusCode.ERROR });
      server.end(over);
    },
  };
}

function callerOf(api: Api, headers: IncomingHttpHeaders): SpanContext | undefined {
  const { traceparent, tracestate } = headers;
  const parent = typeof traceparent === 'string' ? parseTraceParent(traceparent) : undefined;
  if (parent === undefined) return undefined;
  const state = typeof tracestate === 'string' ? tracestate : tracestate?.join(',');
  return {
    traceId: parent.traceId,
    spanId: parent.spanId,
    traceFlags: parent.flags,
    isRemote: true,
    ...(state !== undefined && { traceState: api.createTraceState(state) }),
  };
}

function headersOf({ traceId, spanId, traceFlags, traceState }: SpanContext): Record<string, string> {
  const state = traceState?.serialize();
  return {
    traceparent: renderTraceParent({ traceId, spanId, flags: traceFlags }),
    ...(state !== undefined && state !== '' && { tracestate: state }),
  };
}
