/**
 * Loaded before Portkey's gateway: the current npm version answers every stream with a 500, since it writes
 * to the headers of fetch's own responses, which are read-only (WHATWG Fetch, "immutable"). This gives it
 * responses with writable headers.
 */

const { fetch: fetched } = globalThis;

globalThis.fetch = async (...request) => {
  const { body, status, statusText, headers } = await fetched(...request);
  return new Response(body, { status, statusText, headers: new Headers(headers) });
};
