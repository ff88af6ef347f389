/** The two headers of W3C Trace Context, which say what trace a request belongs to (www.w3.org/TR/trace-context-2). */

/** The position of a request in a trace. */
export interface TraceParent {
  /** 32 and 16 hex digits, neither all zeros. */
  readonly traceId: string;
  readonly spanId: string;
  /** Bit 0: the spans are kept. Bit 1: the trace id is random. */
  readonly flags: number;
}

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** The bits that version 00 defines. */
const KNOWN_FLAGS = 0b11;

/** Parses a `traceparent` header; undefined if it is absent or not valid (sections 3.2 and 4.3). */
export function parseTraceParent(header: string | undefined): TraceParent | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] =
    TRACEPARENT.exec(header?.trim() ?? '') ?? [];
  if (version === undefined || version === 'ff') return undefined;
  if (version === '00' && more !== undefined) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) & KNOWN_FLAGS };
}

/** Renders the `traceparent` header for the next service. */
export function renderTraceParent({ traceId, spanId, flags }: TraceParent): string {
  return `00-${traceId}-${spanId}-0${flags & KNOWN_FLAGS}`;
}

/** Replaces the trace headers of a request. @param headers names and values, alternating. */
export function carryOn(headers: readonly string[], trace: Readonly<Record<string, string>>): string[] {
  const carried: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    if (name !== 'traceparent' && name !== 'tracestate') carried.push(name, value);
  }
  for (const name in trace) carried.push(name, trace[name] ?? '');
  return carried;
}
