/** Answers what Node's HTTP parser refuses and what does not arrive in time, while the caller can still read it. */

import type { Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorCode } from '../../lib/error-code.ts';
import { GatewayError } from '../../lib/errors.ts';
import { stopParsing } from '../../pipeline/body/stop-parsing.ts';
import type { Pipelining } from '../http/pipelining.ts';

/** The statuses that Node itself answers with. Without a parsed head, the caller's format is unknown. */
const STATUS_LINES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/**
 * Handles `clientError`. The requests before a faulty one still get their answers.
 * @param end ends an exchange with an error in its own format.
 */
export function answerClientErrors(
  server: Server,
  pipelining: Pick<Pipelining, 'abandonUnfinished' | 'closeAfterAnswers' | 'currentAnswer'>,
  end: (response: ServerResponse, error: GatewayError) => void,
): void {
  server.on('clientError', (error: Error, connection: Duplex) => {
    const code = errorCode(error);
    let isAnswered = false;
    if (connection instanceof Socket) {
      const answer = pipelining.currentAnswer(connection);
      isAnswered = answer?.headersSent === true;
      const isLate = code === 'ERR_HTTP_REQUEST_TIMEOUT';
      // A caller whose connection has failed, or whose side of it has ended, has left.
      const isThere = isLate || !(connection.destroyed || connection.readableEnded);
      const refuse = (response: ServerResponse): void => end(response, bodyFault(code));
      if (isThere && pipelining.abandonUnfinished(connection, refuse)) return;
      // Data after a request with `Connection: close`: its answer is still to come (RFC 9112, 9.6).
      if (code === 'HPE_CLOSED_CONNECTION' && answer !== undefined) {
        stopParsing(connection);
        return;
      }
      if (!connection.readableEnded && pipelining.closeAfterAnswers(connection, !isLate)) return;
    }
    if (connection.writable && !isAnswered) {
      connection.write(
        `HTTP/1.1 ${STATUS_LINES[code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`,
      );
    }
    connection.destroy();
  });
}

/** What is wrong with a body that Node gives up. */
function bodyFault(code: string | undefined): GatewayError {
  const headers = { connection: 'close' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new GatewayError('request-timeout', 'The request body did not arrive in time.', { headers });
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return new GatewayError('too-large', 'The extensions of a chunk of the request body are too large.', {
      headers,
    });
  }
  return new GatewayError('invalid-request', 'The request body is not framed as HTTP requires.', { headers });
}
