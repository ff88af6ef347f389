/** A page's files, read once at the start: nothing on the request path waits on a disk. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** No inline script or style, nothing from elsewhere, and no text ever parsed as HTML (W3C CSP 3, Trusted Types). */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** The answer for a path of the page, or undefined where there is none. `etag` is the caller's `if-none-match`. */
export type StaticPage = (path: string, etag: string | undefined) => Response | undefined;

/** Files that every page has beside its own. */
const SHARED = join(import.meta.dirname, 'pages');

/**
 * Reads the page in a folder, and what all pages share. `index` is the path of its index.html, and so is `base`, which ends in a slash; the rest is
 * at `base` and the file's name.
 */
export function openPage(folder: string, index: string, base: string): StaticPage {
  const files = new Map([...readFiles(SHARED), ...readFiles(folder)]);
  return (path, etag) => {
    const name =
      path === index || path === base ? 'index.html' : path.startsWith(base) ? path.slice(base.length) : '';
    const file = files.get(name);
    if (file === undefined) return undefined;
    const headers = {
      'content-type': file.type,
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
      etag: file.etag,
    };
    if (etag === file.etag) return new Response(null, { status: 304, headers });
    return new Response(file.bytes, { headers });
  };
}

interface PageFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
}

function readFiles(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = new Uint8Array(readFileSync(path));
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    files.set(relative(folder, path).split(sep).join('/'), { bytes, type, etag });
  }
  return files;
}
