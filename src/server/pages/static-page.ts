/** A page's files, read once at the start: nothing on the request path waits on a disk. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join, relative, sep } from 'node:path';

const SCRIPT = 'text/javascript; charset=utf-8';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': SCRIPT,
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
const SHARED = join(import.meta.dirname, 'shared');

/**
 * Reads the page in a folder, and the files that all pages share. Links in a page are relative, since a proxy may serve
 * it below a path of its own.
 * @param folder where its files are; each is served at `base` and its name
 * @param index another path of its index.html, one level above `base`
 * @param base ends in a slash; index.html is also served at `base` alone, with and without the slash
 * @param libraries scripts from elsewhere, by the names they are served under
 */
export function openPage(
  folder: string,
  index: string,
  base: string,
  libraries: Readonly<Record<string, string>> = {},
): StaticPage {
  const files = new Map([...readFiles(SHARED), ...readFiles(folder)]);
  for (const [name, path] of Object.entries(libraries)) files.set(name, readPageFile(path, SCRIPT));
  const front = linkedInto(basename(base), files.get('index.html'));
  return (path, etag) => {
    const name = path.startsWith(base) ? path.slice(base.length) || 'index.html' : '';
    const file = path === index || `${path}/` === base ? front : files.get(name);
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
    files.set(relative(folder, path).split(sep).join('/'), readPageFile(path, type));
  }
  return files;
}

function readPageFile(path: string, type: string): PageFile {
  return toPageFile(new Uint8Array(readFileSync(path)), type);
}

function toPageFile(bytes: PageFile['bytes'], type: string): PageFile {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { bytes, type, etag };
}

/** A page whose links lead into a folder beside it, not to files beside it. */
function linkedInto(folder: string, page: PageFile | undefined): PageFile | undefined {
  if (page === undefined) return undefined;
  const html = new TextDecoder().decode(page.bytes).replaceAll(/ (href|src)="(?=\w)/g, ` $1="${folder}/`);
  return toPageFile(new TextEncoder().encode(html), page.type);
}
