/** The spans of one exchange: one for the caller's request, and within it one for the vendor's answer. */

import type { IncomingHttpHeaders } from 'node:http';
import type { Span, SpanContext, Tracer } from '@opentelemetry/api';
import type { Route } from '../../conversation/route.ts';
import type { ExchangeRecord } from '../usage/exchange-record.ts';
import {
  clientAttributes,
  isFailure,
  operationName,
  routeMethod,
  routeName,
  serverAttributes,
  spanName,
} from './span-attributes.ts';
import { parseTraceParent, renderTraceParent } from './trace-context.ts';

/** The trace of one exchange, from its first byte to its record. */
export interface ExchangeTrace {
  /**
   * Called before a vendor is asked. If it is asked again, the same span goes on and covers all attempts.
   * @returns the headers that carry the trace to the vendor.
   */
  ask(): Readonly<Record<string, string>>;
  /** Ends the spans at the moment that the record gives. */
  end(record: ExchangeRecord): void;
}

export type Api = typeof import('@opentelemetry/api');

export function beginTrace(
  api: Api,
  tracer: Tracer,
  route: Route,
  headers: IncomingHttpHeaders,
): ExchangeTrace {
  const caller = parseCaller(api, headers);
  const outside =
    caller === undefined ? api.ROOT_CONTEXT : api.trace.setSpanContext(api.ROOT_CONTEXT, caller);
  const server = tracer.startSpan(
    `${routeMethod(route)} ${routeName(route)}`,
    { kind: api.SpanKind.SERVER },
    outside,
  );
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
      return renderHeaders(client.spanContext());
    },
    end(record) {
      // The record arrives a moment later, so its own end counts. A new millisecond may have begun between the start of
      // the exchange and that of the span.
      const over = record.time + record.duration;
      if (client !== undefined) {
        client.updateName(spanName(record));
        client.setAttributes(clientAttributes(record, askedAt));
        if (isFailure(record, 400)) client.setStatus({ code: api.SpanStatusCode.ERROR });
        client.end(Math.max(over, askedAt));
      }
      // For generate-content the operation is in the path, and was not known when the span began.
      server.updateName(`${routeMethod(record)} ${routeName(record)}`);
      server.setAttributes(serverAttributes(record));
      if (isFailure(record, 500)) server.setStatus({ code: api.SpanStatusCode.ERROR });
      server.end(over);
    },
  };
}

function parseCaller(api: Api, headers: IncomingHttpHeaders): SpanContext | undefined {
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

function renderHeaders({ traceId, spanId, traceFlags, traceState }: SpanContext): Record<string, string> {
  const state = traceState?.serialize();
  return {
    traceparent: renderTraceParent({ traceId, spanId, flags: traceFlags }),
    ...(state !== undefined && state !== '' && { tracestate: state }),
  };
}
