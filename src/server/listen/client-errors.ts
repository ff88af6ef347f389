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
 * Handles `clientError`. What is wrong with a request does not cost those before it their answers.
 * @param end ends an exchange with an error in its own format.
 */
export function answerClientErrors(
  server: Server,
  pipelining: Pick<Pipelining, 'giveUpUnfinished' | 'closeAfterAnswers' | 'answering'>,
  end: (response: ServerResponse, error: GatewayError) => void,
): void {
  server.on('clientError', (error: Error, connection: Duplex) => {
    const code = errorCode(error);
    let isAnswered = false;
    if (connection instanceof Socket) {
      const answer = pipelining.answering(connection);
      isAnswered = answer?.headersSent === true;
      const refuse = (response: ServerResponse): void => end(response, bodyTimeout());
      const isLate = code === 'ERR_HTTP_REQUEST_TIMEOUT';
      if (isLate && pipelining.giveUpUnfinished(connection, refuse)) return;
      // Data after a request with `Connection: close`: its answer is still to come (RFC 9112, 9.6).
      if (code === 'HPE_CLOSED_CONNECTION' && answer !== undefined) {
        stopParsing(connection);
        return;
      }
      // A caller whose side of the connection has ended has left.
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

function bodyTimeout(): GatewayError {
  return new GatewayError('request-timeout', 'The request body did not arrive in time.', {
    headers: { connection: 'close' },
  });
}
