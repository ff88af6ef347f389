/** Answers what Node's HTTP parser refuses and what does not arrive in time, while the caller can still read it. */

import type { Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorCode } from '../../lib/error-code.ts';
import { GatewayError } from '../../lib/errors.ts';
import { stopParsing } from '../../pipeline/body/stop-parsing.ts';
import type { Pipelining } from '../http/pipelining.ts';
import { refuseConnection, unreadable } from './unreadable.ts';

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
    let answer: ServerResponse | undefined;
    if (connection instanceof Socket) {
      answer = pipelining.currentAnswer(connection);
      const isLate = code === 'ERR_HTTP_REQUEST_TIMEOUT';
      // A caller whose connection has failed, or whose side of it has ended, has left.
      const isThere = isLate || !(connection.destroyed || connection.readableEnded);
      const refuseBody = (response: ServerResponse): void => end(response, bodyFault(code));
      if (isThere && pipelining.abandonUnfinished(connection, refuseBody)) return;
      // Data after a request with `Connection: close`: its answer is still to come (RFC 9112, 9.6).
      if (code === 'HPE_CLOSED_CONNECTION' && answer !== undefined) {
        stopParsing(connection);
        return;
      }
      if (!connection.readableEnded && pipelining.closeAfterAnswers(connection, !isLate)) return;
    }
    if (answer?.headersSent) connection.destroy();
    else refuseConnection(connection, unreadable(code), answer !== undefined);
  });
}

/** What is wrong with a body that Node gives up. */
function bodyFault(code: string | undefined): GatewayError {
  const { fault, message } = unreadable(code);
  const said =
    fault === 'request-timeout'
      ? 'The request body did not arrive in time.'
      : fault === 'too-large'
        ? message
        : 'The request body is not framed as HTTP requires.';
  return new GatewayError(fault, said, { headers: { connection: 'close' } });
}
