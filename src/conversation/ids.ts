/** Ids in a format's own style, made from the vendor's: the same answer has the same id, streamed or whole. */

/** `id` as it is where it already has the prefix; else the prefix and the id's letters and digits. */
export function prefixedId(prefix: string, id: string): string {
  if (id.startsWith(prefix)) return id;
  const cut = id.lastIndexOf('_') > id.lastIndexOf('-') ? id.lastIndexOf('_') : id.lastIndexOf('-');
  return prefix + (id.slice(cut + 1) || id).replaceAll(/[^A-Za-z0-9]/g, '');
}
