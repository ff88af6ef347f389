/** Media that stand in their own address: `data:` URLs (RFC 2397). */

import { percentDecoded } from '../percent-decoded.ts';

/** Taken apart, its data in base64, its media type '' where base64 says none; undefined for any other URL. */
export function parseDataUrl(url: string): { readonly mediaType: string; readonly data: string } | undefined {
  const comma = url.startsWith('data:') ? url.indexOf(',') : -1;
  if (comma < 0) return undefined;
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).split(';');
  const data = url.slice(comma + 1);
  if (parameters.at(-1)?.trim().toLowerCase() === 'base64') return { mediaType, data };
  return {
    mediaType: mediaType || 'text/plain',
    data: Buffer.from(percentDecoded(data), 'utf8').toString('base64'),
  };
}
