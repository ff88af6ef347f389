/**
 * OpenTelemetry traces: a span for the caller's request, and in it one for the vendor's answer, named and described by
 * the GenAI semantic conventions (github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai/client-inference.md).
 * What is asked and answered is never in them, nor an address. Nothing of OpenTelemetry is loaded before an endpoint
 * is set; its SDK reads the other OTEL_ variables (headers, sampler, resource) from the environment by itself.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Route } from '../../conversation/route.ts';
import { invalidConfig } from '../../lib/config-error.ts';
import type { Environment } from '../../lib/environment.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { requirePackages } from '../../upstream/optional-packages.ts';
import { type Api, beginTrace, type ExchangeTrace } from './exchange-trace.ts';

export interface Traces {
  /** A request has come, with these headers. */
  begin(route: Route, headers: IncomingHttpHeaders): ExchangeTrace;
  /** How many spans could not be delivered. */
  lost(): number;
  /** Delivers what waits, for so many milliseconds at most. */
  close(milliseconds: number): Promise<void>;
}

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
