/** Decodes a percent-encoded text; returns it unchanged if it is not one (RFC 3986, 2.1). */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
