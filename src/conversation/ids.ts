/** Ids in a format's own style, made from the vendor's ids: an answer has the same id, streamed or whole. */

/**
 * The id itself if it has the prefix; else the prefix with the letters and digits of the id, without its own prefix
 * (`chatcmpl-`, `msg_`, `gen-`).
 */
export function prefixedId(prefix: string, id: string): string {
  if (id.startsWith(prefix)) return id;
  // `join` copies the characters, as `flat` does.
  return [prefix, lettersAndDigits(id.slice(prefixLength(id)))].join('');
}

/** An id's letters and digits. An expression takes several times as long for so short a text. */
export function lettersAndDigits(id: string): string {
  let kept = '';
  let from = 0;
  for (let at = 0; at < id.length; at += 1) {
    const code = id.charCodeAt(at);
    if (isLetter(code) || (code >= ZERO && code <= NINE)) continue;
    kept += id.slice(from, at);
    from = at + 1;
  }
  return from === 0 ? id : kept + id.slice(from);
}

/** The length of an id's own prefix: letters, and a dash or an underscore. */
function prefixLength(id: string): number {
  let at = 0;
  while (isLetter(id.charCodeAt(at))) at += 1;
  return at > 0 && (id[at] === '_' || id[at] === '-') ? at + 1 : 0;
}

const ZERO = 0x30;
const NINE = 0x39;
const LOWER_CASE = 0x20;

function isLetter(code: number): boolean {
  const lower = code | LOWER_CASE;
  return lower >= 0x61 && lower <= 0x7a;
}
