/** Ids in a format's own style, made from the vendor's ids: an answer has the same id, streamed or whole. */

/** The prefix of a vendor's ids: `chatcmpl-`, `msg_`, `gen-`. */
const PREFIX = /^[a-z]+[_-]/i;
const PLAIN = /^[A-Za-z0-9]*$/;

/**
 * The id itself if it has the prefix; else the prefix with the letters and digits of the id, without its own prefix.
 */
export function prefixedId(prefix: string, id: string): string {
  if (id.startsWith(prefix)) return id;
  const stem = id.replace(PREFIX, '');
  return prefix + (PLAIN.test(stem) ? stem : stem.replaceAll(/[^A-Za-z0-9]/g, ''));
}
