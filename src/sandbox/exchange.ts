/** One request to a simulated vendor, and what the vendor answers. */

import type { IncomingHttpHeaders } from 'node:http';
import type { Json, JsonObject } from '../lib/json.ts';
import { isObject, tryParseJson } from '../lib/json.ts';
import type { RefusalSubject } from './refusal-subject.ts';
import type { Script, WireEvent } from './script.ts';

/** A request, as a simulated vendor receives it. */
export interface VendorRequest {
  readonly method: string;
  /** The decoded path below the vendor's address, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** How events are framed: SSE with LF, SSE with CRLF as Google does, or one JSON array. */
export type Framing = 'lf' | 'crlf' | 'array';

type HeaderFields = Readonly<Record<string, string>>;

/** An answer that is sent at once. */
export interface WholeAnswer {
  readonly kind: 'whole';
  readonly status: number;
  readonly headers: HeaderFields;
  /** A string is sent as HTML. */
  readonly body: Json;
  /** The tokens that it took to write, for the pace. */
  readonly tokens: number;
}

/** An answer that is sent event by event. */
export interface StreamAnswer {
  readonly kind: 'stream';
  readonly headers: HeaderFields;
  readonly framing: Framing;
  readonly events: Iterable<WireEvent>;
  readonly tokens: number;
}

export type VendorAnswer = WholeAnswer | StreamAnswer;

/**
 * @param tokens the tokens that it took to write
 * @returns an answer with status 200 that is not streamed
 */
export function whole(body: Json, tokens = 0): WholeAnswer {
  return { kind: 'whole', status: 200, headers: {}, body, tokens };
}

/** @returns a streamed answer to write a script at its pace */
export function streamed(events: Iterable<WireEvent>, script: Script, framing: Framing = 'lf'): StreamAnswer {
  return { kind: 'stream', headers: {}, framing, events, tokens: script.usage.output };
}

/** A vendor's error for a request, in the vendor's own words. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  readonly body: Json;
  readonly headers: HeaderFields;
  /** Absent if it is not about the content of the request, but about a key, a path or a limit. */
  readonly subject?: RefusalSubject;

  constructor(status: number, body: Json, subject?: RefusalSubject, headers: HeaderFields = {}) {
    super(`refused with ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
    if (subject !== undefined) this.subject = subject;
  }
}

/** @returns the body as a JSON object; undefined if it is not one */
export function objectIn(request: VendorRequest): JsonObject | undefined {
  const body = tryParseJson(request.body);
  return isObject(body) ? body : undefined;
}

/**
 * @param name in lower case
 * @returns the value of a header, the first if there are several; undefined if there is none
 */
export function header(request: VendorRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : value?.[0];
}
