/**
 * The console at `/`, and its files at `/console/<file>`: static files, which hold nothing secret. `vite build` writes
 * them from `src/console`.
 */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { acceptsGzip } from '../../lib/accepts-gzip.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Allows no inline script or style, nothing from other sites, and no text that is parsed as HTML (W3C CSP 3, Trusted
 * Types). The images of a conversation are `blob:` addresses, which only the page itself can make.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** What all files have in common. */
const SAME_HEADERS = {
  vary: 'accept-encoding',
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** The page itself; all other files have names that change with their content. */
const INDEX = 'index.html';

/**
 * The response for a path, or undefined if the console has no such path.
 * @param headers of the request
 */
export type Console = (path: string, headers: IncomingHttpHeaders) => Promise<Response | undefined>;

interface File {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/**
 * Opens the console. Its files are listed now, and each is read when it is first asked for: most languages of code are
 * never looked at, and a start waits for none of them.
 */
export function openConsole(): Console {
  const folder = findBuild();
  const names = new Map(listFiles(folder).map((name) => [name === INDEX ? '/' : `/${name}`, name]));
  const files = new Map<string, Promise<File>>();
  const open = (name: string): Promise<File> => {
    const opened = files.get(name) ?? readPageFile(join(folder, name));
    files.set(name, opened);
    return opened;
  };
  return async (path, asked) => {
    const name = names.get(path);
    if (name === undefined) return path === '/' ? notBuilt() : undefined;
    const type = TYPES[extname(name)];
    if (type === undefined) return undefined;
    const isCompressed = acceptsGzip(asked['accept-encoding']) && names.has(`/${name}.gz`);
    const { bytes, etag } = await open(isCompressed ? `${name}.gz` : name);
    const headers = {
      ...SAME_HEADERS,
      'content-type': type,
      ...(isCompressed && { 'content-encoding': 'gzip' }),
      'cache-control': name === INDEX ? 'no-cache' : 'public, max-age=31536000, immutable',
      etag,
    };
    if (asked['if-none-match'] === etag) return new Response(null, { status: 304, headers });
    return new Response(bytes, { headers });
  };
}

/** The build lies beside the built gateway; the sources are run with the one in `dist`. */
function findBuild(): string {
  const beside = join(import.meta.dirname, 'console');
  return existsSync(beside) ? beside : join(import.meta.dirname, '../../../dist/console');
}

function listFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

async function readPageFile(path: string): Promise<File> {
  const bytes = new Uint8Array(await readFile(path));
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}

function notBuilt(): Response {
  return new Response(
    'The console is not built. Run npm install && npm run console, then start the gateway again.\n',
    {
      status: 404,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    },
  );
}
