/** What a percent-encoded text stands for; itself where it is no such text (RFC 3986, 2.1). */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
