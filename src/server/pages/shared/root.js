/**
 * Where the gateway is, without a slash at its end: what answers below this page's files. It may be a path of a proxy's.
 */
export const ROOT = new URL('..', import.meta.url).href.slice(0, -1);
