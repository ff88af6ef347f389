/**
 * Loaded before Portkey's gateway: with what npm gives it today it answers every stream with a 500, since it writes to
 * the headers of fetch's own answers, which are read-only (WHATWG Fetch, "immutable"). It gets answers whose are not.
 */

const { fetch: fetched } = globalThis;

globalThis.fetch = async (...request) => {
  const { body, status, statusText, headers } = await fetched(...request);
  return new Response(body, { status, statusText, headers: new Headers(headers) });
};
