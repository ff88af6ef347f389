/** Bodies of error answers in the many shapes of services that speak OpenAI's formats. */

import { foreignText, MAX_FOREIGN } from '../../lib/foreign-text.ts';
import {
  asList,
  asNumber,
  asObject,
  asObjects,
  compact,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from '../../lib/json.ts';
import { MAX_ERROR_TOKENS, tryParseBounded } from '../../lib/json-bounds.ts';
import { parseErrorStatus } from '../fault-of-status.ts';

/** What an error answer says, whatever its shape. */
export interface ErrorFields {
  readonly message?: string;
  readonly type?: string;
  readonly code?: string;
  readonly param?: string;
  /** An HTTP status inside the body (OpenRouter's numeric `code`, Groq's `status_code`). */
  readonly status?: number;
  /** OpenRouter: moderation held the input back. */
  readonly moderated?: boolean;
  /** OpenRouter: when its rate limit ends, in milliseconds since 1970. */
  readonly resetsAt?: number;
}

/**
 * Reads the body of an error answer, whatever its shape.
 * @param isNested whether the body stands inside another one. Bodies inside it are not read.
 */
export function readErrorBody(body: Json | undefined, isNested = false): ErrorFields {
  // Google's compatible endpoint sends a list of one error.
  const value = isList(body) ? body[0] : body;
  if (!isObject(value)) return {};
  const inner = value['error'];
  // xAI: {"code": "...", "error": "text"}.
  if (typeof inner === 'string') return errorFields(inner, value);
  // Cloudflare sends a list of errors, MiniMax the outcome of the request.
  const [listed] = asObjects(value['errors']);
  const error = asObject(inner) ?? listed ?? asObject(value['base_resp']) ?? value;
  const message = ['message', 'msg', 'status_msg', 'error_message']
    .map((key) => error[key])
    .find((said) => said !== undefined);
  const outer = errorFields(
    foreignText(message) ??
      joinLines(message ?? error['errors']) ??
      // Mistral puts the detail into the message.
      joinDetail(asObject(message)?.['detail'] ?? error['detail']),
    error,
  );
  return isNested ? outer : { ...outer, ...readNested(outer, asObject(error['metadata'])?.['raw']) };
}

/**
 * The error of the vendor behind OpenRouter's "Provider returned error": JSON text, plain text or JSON
 * (openrouter.ai/docs, "Errors").
 */
function readNested({ message }: ErrorFields, raw: Json | undefined): Pick<ErrorFields, 'message' | 'code'> {
  if (message !== 'Provider returned error' || !raw) return {};
  const value = typeof raw === 'string' ? tryParseBounded(raw, MAX_ERROR_TOKENS) : raw;
  if (value === undefined) return compact({ message: foreignText(raw) });
  const nested = readErrorBody(value, true);
  return compact({ message: nested.message, code: nested.code });
}

/** HTTP statuses for MiniMax's error codes (its API reference). */
const MINIMAX_STATUSES: Readonly<Record<number, number>> = {
  1001: 504,
  1002: 429,
  1004: 401,
  1008: 402,
  1026: 400,
  1027: 400,
  2013: 400,
  2049: 401,
  2056: 429,
};

function errorFields(message: string | undefined, error: JsonObject): ErrorFields {
  const named = asNumber(error['status_code']) ?? 0;
  const numbers = [MINIMAX_STATUSES[named] ?? named, error['code'], error['status']];
  return compact({
    message: message?.slice(0, MAX_FOREIGN) || undefined,
    type: word(error['type']) ?? word(error['error_type']),
    code: parseErrorStatus(error['code']) === undefined ? word(error['code']) : undefined,
    param: word(error['param']),
    status: numbers.map(parseErrorStatus).find((status) => status !== undefined),
    moderated: asObject(error['metadata'])?.['flagged_input'] !== undefined,
    resetsAt: parseReset(asObject(asObject(error['metadata'])?.['headers'])),
  });
}

/** A text of an error, unless there is none: LiteLLM writes Python's word for that. */
function word(value: Json | undefined): string | undefined {
  const text = foreignText(value);
  return text === '' || text === 'None' ? undefined : text;
}

/** When a rate limit ends, by the header that OpenRouter puts into its error: milliseconds or seconds since 1970. */
function parseReset(headers: JsonObject | undefined): number | undefined {
  const text = foreignText(headers?.['X-RateLimit-Reset']) ?? '';
  if (!/^\d{10,13}$/.test(text)) return undefined;
  return text.length === 10 ? Number(text) * 1000 : Number(text);
}

function joinLines(value: Json | undefined): string | undefined {
  const lines = asList(value).filter((line) => typeof line === 'string');
  return lines.length > 0 ? lines.join('; ') : undefined;
}

/** FastAPI's `detail` as one text: it is a text, or a list of `{loc, msg}`. */
function joinDetail(detail: Json | undefined): string | undefined {
  if (typeof detail === 'string') return detail;
  const lines = asObjects(detail).flatMap(({ loc, msg }) => {
    const said = foreignText(msg);
    const place = asList(loc)
      .filter((step) => typeof step !== 'object')
      .join('.');
    return place === '' ? (said ?? []) : `${place}: ${said ?? 'invalid'}`;
  });
  return lines.length > 0 ? lines.join('; ') : undefined;
}
