/** A vendor's port over TLS, as all vendors on the internet are. The memory of this process is not measured. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createSecureServer } from 'node:http2';
import { connect, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';

/**
 * Makes a certificate for `localhost`, which is its own authority.
 * @returns the files of the certificate and of its key
 * @throws Error if there is no program `openssl`
 */
export function makeCertificate(): { readonly cert: string; readonly key: string } {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-tls-'));
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  const { status } = spawnSync(
    'openssl',
    `req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=localhost -addext subjectAltName=DNS:localhost`
      .split(' ')
      .concat('-keyout', files.key, '-out', files.cert),
    { stdio: 'ignore' },
  );
  if (status !== 0) throw new Error('No certificate could be made: the program openssl is needed.');
  return files;
}

/**
 * Opens a port that passes what comes over TLS to the vendor's port, and back.
 * @param http2 whether it speaks HTTP/2, with a hundred exchanges a connection; otherwise HTTP/1.1.
 */
export function startTlsFront(
  port: number,
  vendor: number,
  { cert, key }: { readonly cert: string; readonly key: string },
  http2: boolean,
): Promise<{ stop(): void }> {
  const pem = { cert: readFileSync(cert), key: readFileSync(key) };
  const server = http2 ? multiplexed(pem, vendor) : passedOn(pem, vendor);
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', 4_096, () => resolve({ stop: () => void server.close() }));
  });
}

interface Pem {
  readonly cert: Buffer;
  readonly key: Buffer;
}

function multiplexed(pem: Pem, vendor: number): Server {
  const settings = { maxConcurrentStreams: 100 };
  return createSecureServer({ ...pem, settings }, (asked, answer) => {
    const { 'content-type': type, 'content-length': length } = asked.headers;
    const headers = { 'content-type': type, 'content-length': length };
    const inside = request(
      { host: '127.0.0.1', port: vendor, method: asked.method, path: asked.url, headers, agent: false },
      (said) => {
        answer.writeHead(said.statusCode ?? 502, { 'content-type': said.headers['content-type'] ?? '' });
        said.pipe(answer);
      },
    );
    // Whoever leaves resets its stream.
    for (const end of [inside, answer.stream]) end.on('error', () => undefined);
    answer.on('close', () => inside.destroy());
    asked.pipe(inside);
  });
}

function passedOn(pem: Pem, vendor: number): Server {
  return createServer({ ...pem, ALPNProtocols: ['http/1.1'] }, (outside) => {
    const inside = connect(vendor, '127.0.0.1');
    outside.pipe(inside).pipe(outside);
    for (const end of [outside, inside]) {
      // Whoever leaves resets its connection.
      end.on('error', () => undefined);
      end.on('close', () => {
        outside.destroy();
        inside.destroy();
      });
    }
  });
}
