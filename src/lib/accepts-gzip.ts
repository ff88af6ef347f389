/** Whether a client takes compressed answers. */

/** `gzip` as a word of its own, unless the weight behind it is zero, which refuses it (RFC 9110, 12.4.2). */
const GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0{1,3})?\s*(?:,|$))/i;

/**
 * Whether an answer may be sent as gzip.
 * @param accepted the header `accept-encoding` of the request (RFC 9110, 12.5.3).
 */
export function acceptsGzip(accepted = ''): boolean {
  return GZIP.test(accepted);
}
