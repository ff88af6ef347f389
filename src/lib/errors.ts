/**
 * The one error this program throws on purpose. A fault says what went wrong in nobody's words; each format's
 * `errors.ts` says it in the words of its vendor.
 */

/** What went wrong, and the HTTP status it has unless the upstream said another one. */
const STATUS = {
  'invalid-request': 400,
  'context-too-long': 400,
  unauthenticated: 401,
  'model-not-allowed': 403,
  'permission-denied': 403,
  'model-not-found': 404,
  'not-found': 404,
  'endpoint-not-available': 404,
  'method-not-allowed': 405,
  'request-timeout': 408,
  conflict: 409,
  'too-large': 413,
  'unsupported-media-type': 415,
  unprocessable: 422,
  'rate-limited': 429,
  'quota-exceeded': 429,
  internal: 500,
  'upstream-auth': 502,
  'upstream-broken': 502,
  'upstream-overloaded': 503,
  overloaded: 503,
  'upstream-timeout': 504,
} as const;

export type Fault = keyof typeof STATUS;

/** Whether a text names a fault. */
export function isFault(text: string): text is Fault {
  return Object.hasOwn(STATUS, text);
}

/**
 * What a vendor can have done for a request that failed: nothing, since it said no or was not reached (`rejected`), or
 * since its account is not one that may ask this (`elsewhere`: another may); nobody knows, since its connection closed
 * without a byte of an answer (`reset`).
 */
type Loss = 'rejected' | 'elsewhere' | 'reset';

export interface FaultDetails {
  /** HTTP status, where the upstream's own is to be kept. */
  readonly status?: number;
  /** The request field at fault, as the caller wrote it. */
  readonly param?: string;
  /** The upstream's own machine-readable code, where it has a meaning to callers. */
  readonly code?: string;
  /** Seconds to wait before another try. */
  readonly retryAfter?: number;
  /** Response headers of this error beyond the usual ones, e.g. `allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the exchange with the vendor failed, and not for what the vendor has done. */
  readonly loss?: Loss;
  readonly cause?: unknown;
}

/**
 * How a connection to a vendor fails. Agents go by words to tell whether another try may go well, since a stream that has
 * begun has its status: opencode and pi look for `connection error`, `connection lost` and `response timed out`.
 */
export const BROKEN_OFF = {
  unreached: 'Connection error: the upstream could not be reached.',
  unreachedInTime: 'Connection error: the upstream could not be reached in time.',
  lost: 'Connection lost: the upstream broke off.',
  endedEarly: 'Connection lost: the upstream ended its answer before it was finished.',
  tooLong: 'Response timed out: the upstream took too long to answer.',
} as const;

/**
 * The longest wait after which anybody is to try again by himself, in seconds. After a longer one OpenAI's SDKs ask at
 * once, as if none had been told (openai-node's `retryRequest`), and Anthropic's sleep for hours
 * (anthropic-sdk-typescript's); Claude Code stops (2.1.330), as both do where they are told not to.
 */
export const LONGEST_WAIT = 60;

/** The longest wait that a vendor is believed, in seconds: a month, after which every quota of theirs is full again. */
const LONGEST_TOLD = 31 * 24 * 60 * 60;

/**
 * A wait as a vendor tells it, in seconds, cut to a month. Undefined for what is no wait: a number that is not finite,
 * or below 0, which would reach callers as `retry-after: Infinity`.
 */
export function toldWait(seconds: number | undefined): number | undefined {
  if (seconds === undefined || !Number.isFinite(seconds) || seconds < 0) return undefined;
  return Math.min(seconds, LONGEST_TOLD);
}

/** What went wrong, and all that its caller is told of it beside the words of his format. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly fault: Fault;
  readonly status: number;
  readonly param: string | undefined;
  readonly code: string | undefined;
  readonly retryAfter: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly loss: Loss | undefined;

  /** @param message what the caller is told: no key, no internal address, none of the caller's own text. */
  constructor(fault: Fault, message: string, details: FaultDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.fault = fault;
    this.status = details.status ?? STATUS[fault];
    this.param = details.param;
    this.code = details.code;
    this.retryAfter = details.retryAfter;
    this.headers = details.headers ?? {};
    this.loss = details.loss;
  }
}

/** An answer of a vendor's that has no end. */
export function endedEarly(): GatewayError {
  return new GatewayError('upstream-broken', BROKEN_OFF.endedEarly);
}

const VENDORS_OWN = new Set<Fault>([
  'upstream-auth',
  'upstream-broken',
  'upstream-overloaded',
  'upstream-timeout',
  'quota-exceeded',
]);

/** Whether a fault is the vendor's, or of the gateway's account there: not of what was asked, nor of how often. */
export function isVendors(fault: Fault): boolean {
  return VENDORS_OWN.has(fault);
}

/** The same error with further details; `headers` are added to those it has. */
export function amended(
  error: GatewayError,
  details: FaultDetails & { readonly message?: string },
): GatewayError {
  const { fault, message, status, param, code, retryAfter, headers, loss } = error;
  return new GatewayError(fault, details.message ?? message, {
    status,
    ...(param !== undefined && { param }),
    ...(code !== undefined && { code }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(loss !== undefined && { loss }),
    cause: error,
    ...details,
    headers: { ...headers, ...details.headers },
  });
}

/** Any thrown value as a GatewayError: what is not one of ours is an internal error that tells nothing. */
export function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return new GatewayError('internal', 'The gateway failed to answer this request.', { cause: error });
}

/** What is told in place of the words of a vendor that refuses the gateway: those may show its key or account. */
export const CREDENTIALS_REFUSED =
  'The upstream refused the credentials of this gateway. Whoever runs it has to look at its key and account there.';

/** A key that opens nothing, in the same words whatever is wrong with it. */
export function invalidKey(): GatewayError {
  return new GatewayError(
    'unauthenticated',
    'The API key is not valid: it may be mistyped, expired or revoked. It must be a key of this gateway, not of a vendor.',
  );
}

/** @param allow the methods that there are, as the header has them. */
export function methodNotAllowed(allow: string): GatewayError {
  return new GatewayError('method-not-allowed', `Method not allowed: this endpoint accepts ${allow}.`, {
    headers: { allow },
  });
}

/** A 400 for a field of the caller's request. */
export function invalid(message: string, param?: string): GatewayError {
  return new GatewayError('invalid-request', message, param === undefined ? {} : { param });
}

/** The headers that tell SDKs how long to wait before they ask again; none where nobody knows. */
export function waitHeaders({ retryAfter }: GatewayError): Readonly<Record<string, string>> {
  if (retryAfter === undefined) return {};
  return {
    'retry-after': String(Math.ceil(retryAfter)),
    ...(retryAfter > LONGEST_WAIT && { 'x-should-retry': 'false' }),
  };
}
