/** Recognizes the requests that are recorded: those for an answer, in one of the four formats. */

import type { FormatName } from '../../conversation/prompt.ts';
import { pathAt, type Vendor } from '../../upstream/vendor.ts';
import { isKeyParameter } from './secrets.ts';

/** Where a request goes, and in which format it is. */
export interface Target {
  readonly format: FormatName;
  /** The path with query, as the vendor receives it. */
  readonly path: string;
}

/** Ends of paths, as clients write them. Google's versions are part of the path. */
const PATHS: readonly (readonly [FormatName, RegExp])[] = [
  ['chat-completions', /\/chat\/completions$/],
  ['responses', /\/responses$/],
  ['messages', /\/v1\/messages$/],
  ['generate-content', /\/v1[a-z0-9]*\/models\/[^/]+:(?:generateContent|streamGenerateContent)$/],
];

/**
 * @param url path with query, as it arrived
 * @returns the target of a request for an answer; undefined for any other request
 */
export function chooseTarget(vendor: Vendor, method: string | undefined, url: string): Target | undefined {
  const [pathname = '', query = ''] = url.split(/\?(.*)/s);
  if (method !== 'POST') return undefined;
  for (const [format, end] of PATHS) {
    const found = end.exec(pathname)?.[0];
    if (found !== undefined && speaks(vendor, format))
      return { format, path: pathAt(vendor, found) + passedOn(query) };
  }
  return undefined;
}

/**
 * @returns whether a vendor may be asked in a format. Many that speak chat-completions speak responses for some models.
 */
export function speaks(vendor: Vendor, format: FormatName): boolean {
  return vendor.formats.some(
    (spoken) => spoken === format || (format === 'responses' && spoken === 'chat-completions'),
  );
}

/** A query as it arrived, without the keys in it. */
function passedOn(query: string): string {
  const kept = query.split('&').filter((parameter) => {
    const [name = ''] = [...new URLSearchParams(parameter).keys()];
    return parameter !== '' && !isKeyParameter(name);
  });
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}
