/** Answers that are for one caller alone. */

/**
 * Keeps an answer out of every cache. One in front of the gateway may keep any answer to a GET and give it to others, unless
 * the request has `Authorization` (RFC 9111, 3 and 3.5): it does not know the other headers in which keys come.
 */
export const NOT_KEPT = { 'cache-control': 'no-store' };
