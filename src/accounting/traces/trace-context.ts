/** Whose trace a request belongs to, in the two headers of W3C Trace Context (www.w3.org/TR/trace-context-2). */

export interface TraceParent {
  /** 32 and 16 hex digits, neither all zero. */
  readonly traceId: string;
  readonly spanId: string;
  /** Bit 0: its spans are kept. Bit 1: the trace id is random. */
  readonly flags: number;
}

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** The bits that version 00 gives a meaning to. */
const KNOWN_FLAGS = 0b11;

/** What a `traceparent` header says; undefined where it says nothing that can be used (section 3.2, 4.3). */
export function parseTraceParent(header: string | undefined): TraceParent | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] =
    TRACEPARENT.exec(header?.trim() ?? '') ?? [];
  if (version === undefined || version === 'ff') return undefined;
  if (version === '00' && more !== undefined) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) & KNOWN_FLAGS };
}

/** The `traceparent` header for whoever is asked next. */
export function renderTraceParent({ traceId, spanId, flags }: TraceParent): string {
  return `00-${traceId}-${spanId}-0${flags & KNOWN_FLAGS}`;
}

/** Request headers, names and values in turn, with those of this trace in the place of another's. */
export function carryOn(headers: readonly string[], trace: Readonly<Record<string, string>>): string[] {
  const carried: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    if (name !== 'traceparent' && name !== 'tracestate') carried.push(name, value);
  }
  for (const name in trace) carried.push(name, trace[name] ?? '');
  return carried;
}
