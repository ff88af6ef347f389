/**
 * OpenTelemetry traces: a span for the caller's request, and within it one for the vendor's answer, with names and
 * attributes of the GenAI semantic conventions (github.com/open-telemetry/semantic-conventions-genai,
 * docs/gen-ai/client-inference.md). Spans never contain prompts, answers or addresses. The SDK is loaded only if an
 * endpoint is set; it reads the other OTEL_ variables (headers, sampler, resource) from the environment itself.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Route } from '../../conversation/route.ts';
import { invalidConfig } from '../../lib/config-error.ts';
import type { LogProblem } from '../../lib/diagnostics.ts';
import type { Environment } from '../../lib/environment.ts';
import { codeBehind } from '../../lib/error-code.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { requirePackages } from '../../upstream/optional-packages.ts';
import { type Api, beginTrace, type ExchangeTrace } from './exchange-trace.ts';

export interface Traces {
  /** Begins the trace of a request with these headers. */
  begin(route: Route, headers: IncomingHttpHeaders): ExchangeTrace;
  /** The number of spans that could not be delivered. */
  lost(): number;
  /** Delivers what waits, for at most so many milliseconds. */
  close(milliseconds: number): Promise<void>;
}

type Sdk = typeof import('@opentelemetry/sdk-trace');

/** The most spans that wait for the collector. */
const MAX_WAITING = 2_048;

/**
 * Opens traces, if the environment names an endpoint (OTEL_EXPORTER_OTLP_ENDPOINT or its TRACES variant) and does not
 * turn them off. Otherwise it returns undefined and loads nothing.
 * @param log told when the collector stops taking spans, and when it takes them again.
 * @throws ConfigError if the endpoint is not a URL, or the packages of OpenTelemetry are not installed.
 */
export async function openTraces(
  environment: Environment,
  log: LogProblem = () => {},
): Promise<Traces | undefined> {
  const url = findEndpoint(environment);
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
      countingProcessor(api, sdk, new OTLPTraceExporter({ url }), log, (spans) => {
        lost += spans;
      }),
    ],
  });
  const tracer = provider.getTracer('gateway');
  return {
    begin: (route, headers) => beginTrace(api, tracer, route, headers),
    lost: () => lost,
    async close(milliseconds) {
      // A failure is counted where it happens.
      await withTimeout(
        provider.shutdown().catch(() => undefined),
        milliseconds,
      );
    },
  };
}

function findEndpoint(environment: Environment): string | undefined {
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

/** Why the collector took no spans. What it has answered is not quoted. */
function findReason(error: Error | undefined): string {
  // The SDK's own error has the status as its code.
  if (error !== undefined && 'code' in error && typeof error.code === 'number')
    return `: the collector answered ${error.code}`;
  const code = codeBehind(error);
  // Answers that are not HTTP/1: the endpoint is often the collector's port for gRPC, 4317.
  return code.includes('HPE_') ? `${code}: they go over HTTP, for which collectors have port 4318` : code;
}

/**
 * Delivers spans in batches. The SDK says nothing of those that the collector did not accept, or not fast enough.
 * @param log told when that begins to fail, and when it works again
 * @param onLost told how many spans are lost
 */
function countingProcessor(
  api: Api,
  sdk: Sdk,
  exporter: SpanExporter,
  log: LogProblem,
  onLost: (spans: number) => void,
): SpanProcessor {
  let waiting = 0;
  let isTroubled = false;
  const batches = new sdk.BatchSpanProcessor({
    maxQueueSize: MAX_WAITING,
    exporter: {
      export(spans, done) {
        waiting -= spans.length;
        exporter.export(spans, (result) => {
          const fails = result.code !== 0;
          if (fails !== isTroubled)
            log(
              fails
                ? `Traces cannot be delivered${findReason(result.error)}. Spans that are lost are counted.`
                : 'Traces can be delivered again.',
            );
          isTroubled = fails;
          if (fails) onLost(spans.length);
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
      // Only sampled spans are delivered.
      if ((span.spanContext().traceFlags & api.TraceFlags.SAMPLED) === 0) return;
      if (waiting >= MAX_WAITING) return onLost(1);
      waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}
