/** Ids of exchanges, where Node's are not at hand. */

/** Makes an id of 32 hexadecimal digits. `crypto.randomUUID` is missing from pages that came without encryption. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
