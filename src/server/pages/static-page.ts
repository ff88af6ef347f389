/** The files of a page. They are read once at the start, so that no request waits for a disk. */

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

/**
 * Allows no inline script or style, nothing from other sites, and no text that is parsed as HTML (W3C CSP 3, Trusted
 * Types).
 */
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

/** The response for a path, or undefined if the page has no such path. `etag` is the caller's `if-none-match`. */
export type StaticPage = (path: string, etag: string | undefined) => Response | undefined;

/** The files that every page has beside its own. */
const SHARED = join(import.meta.dirname, 'shared');

/**
 * Reads the page in a folder, and the files that all pages share. The links in a page are relative, since a proxy may
 * serve the page below a path of its own.
 * @param folder the folder of the page; each file is served at `base` plus its name
 * @param index another path of index.html, one level above `base`
 * @param base ends in a slash; index.html is also served at `base` itself, with and without the slash
 * @param libraries the files of scripts from packages, by the names that they are served under
 * @throws Error if a file cannot be read
 */
export function openPage(
  folder: string,
  index: string,
  base: string,
  libraries: Readonly<Record<string, string>> = {},
): StaticPage {
  const files = new Map([...readFiles(SHARED), ...readFiles(folder)]);
  for (const [name, path] of Object.entries(libraries)) files.set(name, readPageFile(path, SCRIPT));
  const front = relinkInto(basename(base), files.get('index.html'));
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

/** Changes the links of a page, so that they lead into a folder beside it and not to files beside it. */
function relinkInto(folder: string, page: PageFile | undefined): PageFile | undefined {
  if (page === undefined) return undefined;
  const html = new TextDecoder().decode(page.bytes).replaceAll(/ (href|src)="(?=\w)/g, ` $1="${folder}/`);
  return toPageFile(new TextEncoder().encode(html), page.type);
}
