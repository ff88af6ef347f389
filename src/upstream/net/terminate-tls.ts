/** TLS in front of an HTTP server that does not listen itself: it gets the connections decrypted. */

import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'node:net';
import { createServer, type Server as TlsServer } from 'node:tls';
import { probeCaller } from './probe-caller.ts';

/** The certificate that a server shows, with the ones between it and the authority, and its private key. Both are PEM. */
export interface ServerCertificate {
  readonly cert: string;
  readonly key: string;
}

/** How long a handshake may take, in milliseconds. */
const HANDSHAKE = 10_000;

/** Gives an HTTP server its connections: as they come, or decrypted if there is a certificate. */
export class TlsTermination {
  readonly #server: HttpServer;
  /** Wraps connections; it never listens. Undefined: the server speaks plain HTTP. */
  #tls: TlsServer | undefined;
  #certificate: ServerCertificate | undefined;
  /** How many handshakes are in progress, and who waits until there are none. */
  #handshakes = 0;
  #settled: (() => void)[] = [];

  /** @param server gets the connections by its event `connection`. */
  constructor(server: HttpServer, certificate: ServerCertificate | undefined) {
    this.#server = server;
    this.use(certificate);
  }

  /** Uses this certificate, or none, for the connections that come from now on. @throws Error if it is not valid. */
  use(certificate: ServerCertificate | undefined): void {
    if (certificate?.cert === this.#certificate?.cert && certificate?.key === this.#certificate?.key) return;
    this.#tls = certificate && this.#wrapper(certificate);
    this.#certificate = certificate;
  }

  /** Accepts a connection as it comes from the network. */
  take(connection: Socket): void {
    probeCaller(connection);
    if (this.#tls === undefined) {
      this.#server.emit('connection', connection);
      return;
    }
    this.#handshakes += 1;
    // A caller whose side ends during the handshake has left. Node would wait for the rest of it until the time limit.
    connection.allowHalfOpen = false;
    this.#tls.emit('connection', connection);
  }

  /** Resolves when the server has all connections that were taken, except those whose handshake failed. */
  settled(): Promise<void> {
    if (this.#handshakes === 0) return Promise.resolve();
    return new Promise((resolve) => this.#settled.push(resolve));
  }

  #wrapper({ cert, key }: ServerCertificate): TlsServer {
    const options = { cert, key, ALPNProtocols: ['http/1.1', 'http/1.0'], handshakeTimeout: HANDSHAKE };
    return createServer(options)
      .on('secureConnection', (socket) => {
        // Its side may end behind a request whose answer it waits for.
        socket.allowHalfOpen = true;
        this.#server.emit('connection', socket);
        this.#countOff();
      })
      .on('tlsClientError', (_, socket) => {
        socket.destroy();
        this.#countOff();
      });
  }

  /** Each connection ends its handshake by one of the two events (Node's documentation, `tls.Server`). */
  #countOff(): void {
    this.#handshakes -= 1;
    if (this.#handshakes > 0) return;
    for (const resolve of this.#settled) resolve();
    this.#settled = [];
  }
}
