/** The fixtures of all formats, as what `checks.js` runs over. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FORMAT_NAMES } from '../../src/conversation/prompt.ts';
import * as library from '../../src/translate/index.ts';
import { type Cases, written } from './checks.js';

const FIXTURES = join(import.meta.dirname, '../../fixtures');

/** Reads them. What each request becomes is worked out here, by the sources and in Node. */
export function readCases(): Cases {
  const replies = FORMAT_NAMES.flatMap((format) => {
    const folder = join(FIXTURES, 'replies', format);
    const files = readdirSync(folder);
    const names = [...new Set(files.map((file) => file.replace(/\.\w+$/, '')))];
    const read = (file: string) =>
      files.includes(file) ? readFileSync(join(folder, file), 'utf8') : undefined;
    return names.map((name) => {
      const [sse, json] = [read(`${name}.sse`), read(`${name}.json`)];
      return { format, name, ...(sse !== undefined && { sse }), ...(json !== undefined && { json }) };
    });
  });
  const requests = FORMAT_NAMES.flatMap((from) => {
    const folder = join(FIXTURES, 'requests', from);
    return readdirSync(folder).flatMap((name) => {
      const body: object = JSON.parse(readFileSync(join(folder, name), 'utf8'));
      return FORMAT_NAMES.map((to) => ({ from, to, name, body, expected: written(library, from, to, body) }));
    });
  });
  return { replies, requests };
}
