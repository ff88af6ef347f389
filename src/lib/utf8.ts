/** UTF-8 and base64 by what the web platform has, so that the code above them runs wherever Web Streams do. */

const encoder = new TextEncoder();

/** How many bytes a text has in UTF-8. */
export function utf8Length(text: string): number {
  return encoder.encode(text).byteLength;
}

/** A text's bytes in UTF-8, as numbers. */
export function utf8Bytes(text: string): number[] {
  return [...encoder.encode(text)];
}

/** A text's UTF-8 bytes in base64 (RFC 4648, 4). */
export function base64OfText(text: string): string {
  const bytes = encoder.encode(text);
  const pieces: string[] = [];
  // An argument list has a bound, and a text may be a file of several megabytes.
  for (let at = 0; at < bytes.length; at += 8192) {
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  }
  return btoa(pieces.join(''));
}

/**
 * The text that base64 holds in UTF-8. It reads both alphabets and ignores what belongs to neither, as Node's Buffer
 * does: vendors and clients write either.
 */
export function textOfBase64(data: string): string {
  const plain = data
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replaceAll(/[^A-Za-z0-9+/]/g, '');
  // A last character alone holds six bits, which make no byte.
  const whole = plain.length % 4 === 1 ? plain.slice(0, -1) : plain;
  return new TextDecoder().decode(Uint8Array.from(atob(whole), (character) => character.charCodeAt(0)));
}
