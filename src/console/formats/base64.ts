/** @returns the bytes of base64, in either alphabet. @throws DOMException for what is not base64. */
export function bytesFromBase64(text: string): Uint8Array<ArrayBuffer> {
  const plain = text.replaceAll('-', '+').replaceAll('_', '/');
  return Uint8Array.from(atob(plain), (letter) => letter.charCodeAt(0));
}
