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
    const answer = connection instanceof Socket ? pipelining.currentAnswer(connection) : undefined;
    if (connection instanceof Socket && endsByAnswers(connection, code, answer, pipelining, end)) return;
    if (answer?.headersSent) connection.destroy();
    else refuseConnection(connection, unreadable(code), answer !== undefined);
  });
}

/**
 * Leaves the end of a connection to the answer of the request that is at fault, or to the answers before it.
 * @param answer the answer in progress.
 * @returns false if no answer will end it.
 */
function endsByAnswers(
  connection: Socket,
  code: string | undefined,
  answer: ServerResponse | undefined,
  pipelining: Pick<Pipelining, 'abandonUnfinished' | 'closeAfterAnswers'>,
  end: (response: ServerResponse, error: GatewayError) => void,
): boolean {
  const isLate = code === 'ERR_HTTP_REQUEST_TIMEOUT';
  // A caller whose connection has failed, or whose side of it has ended, has left.
  const isThere = isLate || !(connection.destroyed || connection.readableEnded);
  const refuseBody = (response: ServerResponse): void => end(response, bodyFault(code));
  if (isThere && pipelining.abandonUnfinished(connection, refuseBody)) return true;
  // Data after a request with `Connection: close`: its answer is still to come (RFC 9112, 9.6).
  if (code === 'HPE_CLOSED_CONNECTION' && answer !== undefined) {
    stopParsing(connection);
    return true;
  }
  return !connection.readableEnded && pipelining.closeAfterAnswers(connection, !isLate);
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
