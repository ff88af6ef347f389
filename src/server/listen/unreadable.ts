/** What Node's HTTP parser refuses, in words, and the answer to it. Nothing of the request is repeated. */

import {
  type IncomingMessage,
  maxHeaderSize,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Fault, type FaultDetails, GatewayError } from '../../lib/errors.ts';
import { discard } from '../../pipeline/body/read-body.ts';
import { cutLater, stopParsing } from '../../pipeline/body/stop-parsing.ts';
import { renderUnparsed } from '../../pipeline/render-failure.ts';

/** What is wrong, by Node's code (the `HPE_` codes are llhttp's). */
const REASONS: Readonly<Record<string, readonly [message: string, fault?: Fault, details?: FaultDetails]>> = {
  HPE_INVALID_URL: [
    'The target of the request has a character that a URL must not have. Spaces and characters beyond ASCII are written in percent-encoding, such as %20.',
  ],
  HPE_INVALID_METHOD: [
    'The request does not begin with a known HTTP method. Methods are written in capital letters.',
  ],
  HPE_INVALID_VERSION: [
    'The first line of the request does not name version 1.1 or 1.0 of HTTP, or does not end in CRLF.',
  ],
  HPE_PAUSED_H2_UPGRADE: ['The request is in HTTP/2. Use HTTP/1.1.'],
  HPE_INVALID_CONSTANT: [
    'The first line of the request is not a method, a target and HTTP/1.1. A space in a target is written as %20.',
  ],
  HPE_HEADER_OVERFLOW: [
    `The target and the headers of the request have more than ${maxHeaderSize} bytes.`,
    'invalid-request',
    { status: 431 },
  ],
  HPE_INVALID_HEADER_TOKEN: ['A header of the request has a character that it must not have.'],
  HPE_INVALID_CONTENT_LENGTH: ['The header Content-Length is not a whole number.'],
  HPE_UNEXPECTED_CONTENT_LENGTH: [
    'The request has a second Content-Length, or one beside Transfer-Encoding.',
  ],
  HPE_INVALID_TRANSFER_ENCODING: [
    'The header Transfer-Encoding is not chunked, or stands beside Content-Length.',
  ],
  HPE_LF_EXPECTED: ['A line of the head of the request does not end in CRLF.'],
  HPE_CR_EXPECTED: ['A line of the head of the request does not end in CRLF.'],
  HPE_INVALID_EOF_STATE: ['The connection ended before the request did.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    'The extensions of a chunk of the request body are too large.',
    'too-large',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['The request did not arrive in time.', 'request-timeout'],
};

/** The error for a code of Node's parser. */
export function unreadable(code = ''): GatewayError {
  const [message = 'The request is not written as HTTP requires.', fault = 'invalid-request', details = {}] =
    REASONS[code] ?? [];
  return new GatewayError(fault, message, details);
}

/**
 * Writes an error to a connection, as its last answer. A caller who is still sending gets a moment to read it.
 * @param isInUse whether an answer may still be written to the connection, which then is cut at once.
 */
export function refuseConnection(connection: Duplex, error: GatewayError, isInUse: boolean): void {
  if (!connection.writable) {
    connection.destroy();
    return;
  }
  const { status, headers, body } = renderUnparsed(error);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  connection.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
  if (isInUse || !(connection instanceof Socket)) {
    connection.destroy();
    return;
  }
  connection.end();
  stopParsing(connection);
  cutLater(connection);
}

/**
 * Makes a server refuse what Node's parser lets through and HTTP does not.
 * @param answer gets all other requests.
 */
export function refuseUnserved(answer: RequestListener): RequestListener {
  return (request, response) => {
    const message = findMistake(request);
    if (message === undefined) answer(request, response);
    else respond(request, response, new GatewayError('invalid-request', message));
  };
}

function findMistake({ headers, httpVersion }: IncomingMessage): string | undefined {
  // Node itself would answer with a status alone (RFC 9112, 3.2).
  if (headers.host === undefined && httpVersion === '1.1') return 'The request has no Host header.';
  const coding = headers['transfer-encoding']?.toLowerCase();
  if (coding === undefined || (coding === 'chunked' && httpVersion === '1.1')) return undefined;
  // HTTP/1.0 knows no chunks, and not every parser looks for them behind another coding: a proxy in front may take the
  // body for the next request (RFC 9112, 6.1 and 11.2). A coding that does not end in chunks is an error of Node's parser.
  if (httpVersion === '1.1' && !coding.endsWith('chunked')) return undefined;
  return 'The header Transfer-Encoding may only be chunked, and only in HTTP/1.1.';
}

/**
 * Makes a server refuse CONNECT, by which clients ask a proxy for a tunnel. Node would close the connection in silence.
 * @param endInUse ends a connection on which an answer is not complete; false if there is none
 */
export function refuseTunnels(server: Server, endInUse: (connection: Duplex) => boolean): void {
  server.on('connect', (_, connection) => {
    // Node has taken away its own listener, and without one an error would end the process.
    connection.on('error', () => connection.destroy());
    if (!endInUse(connection)) refuseConnection(connection, noTunnel(), false);
  });
}

function noTunnel(): GatewayError {
  const message =
    'This is not a proxy, so CONNECT opens no tunnel here. Set the address of the gateway as the base URL of the API.';
  // The target is not of this server: it has no method (RFC 9110, 10.2.1).
  return new GatewayError('method-not-allowed', message, { headers: { allow: '' } });
}

/** Refuses a request by its `Expect`: a listener of `checkExpectation`. */
export function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const message = 'The header Expect may only be 100-continue.';
  respond(request, response, new GatewayError('invalid-request', message, { status: 417 }));
}

function respond(request: IncomingMessage, response: ServerResponse, error: GatewayError): void {
  const { status, headers, body } = renderUnparsed(error);
  response.writeHead(status, headers).end(body);
  discard(request);
}
