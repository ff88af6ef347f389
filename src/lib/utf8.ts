/** UTF-8 and base64 with what the web platform offers, so that the code that uses them runs wherever Web Streams do. */

import { bytesOfText } from './bytes.ts';

/** The length of a text in UTF-8, in bytes. */
export function utf8Length(text: string): number {
  return bytesOfText(text).byteLength;
}

/** The UTF-8 bytes of a text, as numbers. */
export function utf8Bytes(text: string): number[] {
  return [...bytesOfText(text)];
}

/** Encodes a text's UTF-8 bytes as base64 (RFC 4648, 4). */
export function base64OfText(text: string): string {
  const bytes = bytesOfText(text);
  const pieces: string[] = [];
  // The number of arguments is bounded, and a text may be a file of several megabytes.
  for (let at = 0; at < bytes.length; at += 8192) {
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  }
  return btoa(pieces.join(''));
}

/** Decodes base64 to the UTF-8 text in it, as `latin1OfBase64` reads it. */
export function textOfBase64(data: string): string {
  const bytes = Uint8Array.from(latin1OfBase64(data), (character) => character.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}

/**
 * Decodes base64 to a text with a character for each byte, which takes an eighth of decoding UTF-8. It accepts both
 * alphabets and ignores characters of neither, as Node's Buffer does, because vendors and clients write either.
 */
export function latin1OfBase64(data: string): string {
  const plain = data
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replaceAll(/[^A-Za-z0-9+/]/g, '');
  // A single last character has six bits, which is less than a byte.
  const whole = plain.length % 4 === 1 ? plain.slice(0, -1) : plain;
  return atob(whole);
}
