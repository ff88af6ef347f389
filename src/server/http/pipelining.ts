/**
 * Pipelined requests (RFC 9112, 9.3.2): the requests of a connection are answered one after another, and few of them may
 * wait. Node parses everything that it has read, up to 64 KB at a time, and emits all its requests at once. Each may cost
 * money.
 */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { cutLater, stopParsing } from '../../pipeline/body/stop-parsing.ts';
import { cutOff } from './cut-off.ts';

/** A connection with this many unanswered requests is not read. */
export const MAX_UNANSWERED = 64;

export interface Pipelining {
  /** Accepts a request, and answers it when those before it on its connection are answered. */
  readonly handle: RequestListener;
  /** The answer in progress on a connection. */
  currentAnswer(socket: Socket): ServerResponse | undefined;
  /** Whether a connection has had a request, and all of its requests are answered. */
  isIdle(socket: Socket): boolean;
  /**
   * Gives up the request of a connection whose body has not arrived in time, or is broken.
   * @param refuse answers a request that is in progress but whose answer has no head yet
   * @returns false if there is no such request.
   */
  abandonUnfinished(socket: Socket, refuse: (response: ServerResponse) => void): boolean;
  /**
   * Closes a connection when all requests that have arrived on it are answered.
   * @param isBroken whether the parser can read nothing more of it.
   * @returns false if there is no such request, or if the connection is not read: whether its caller is still there would
   *   not be noticed.
   */
  closeAfterAnswers(socket: Socket, isBroken: boolean): boolean;
}

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

interface Pipeline {
  current: Exchange | undefined;
  /** The requests behind it: at most MAX_UNANSWERED, and those of the last chunk that was read. */
  readonly waiting: Exchange[];
}

/** @param answer receives one request of a connection at a time */
export function pipelining(answer: RequestListener): Pipelining {
  const pipelines = new WeakMap<Socket, Pipeline>();

  function begin(pipeline: Pipeline, exchange: Exchange): void {
    pipeline.current = exchange;
    const [{ socket }, response] = exchange;
    response.on('close', () => goOn(pipeline, socket));
    answer(...exchange);
  }

  function goOn(pipeline: Pipeline, socket: Socket): void {
    pipeline.current = undefined;
    const { waiting } = pipeline;
    if (!socket.writable) {
      // The last answer is complete, or the caller has left. Node destroys the rest with the connection.
      waiting.length = 0;
      return;
    }
    const next = waiting.shift();
    if (next === undefined) return;
    if (waiting.length + 1 === MAX_UNANSWERED - 1) resumeReading(socket);
    begin(pipeline, next);
  }

  return {
    handle(request, response) {
      const { socket } = request;
      // Nothing is answered after the last answer of a connection.
      if (!socket.writable) return;
      let pipeline = pipelines.get(socket);
      if (pipeline === undefined) {
        pipeline = { current: undefined, waiting: [] };
        pipelines.set(socket, pipeline);
      }
      if (pipeline.current === undefined) {
        begin(pipeline, [request, response]);
        return;
      }
      pipeline.waiting.push([request, response]);
      if (pipeline.waiting.length + 1 === MAX_UNANSWERED) stopReading(socket);
    },
    currentAnswer: (socket) => pipelines.get(socket)?.current?.[1],
    isIdle(socket) {
      const pipeline = pipelines.get(socket);
      return pipeline !== undefined && pipeline.current === undefined;
    },
    abandonUnfinished(socket, refuse) {
      const pipeline = pipelines.get(socket);
      const exchange = pipeline?.waiting.at(-1) ?? pipeline?.current;
      if (pipeline === undefined || exchange === undefined) return false;
      const [request, response] = exchange;
      if (request.complete) return false;
      if (exchange !== pipeline.current) {
        pipeline.waiting.pop();
        stopParsing(socket);
        closeAfter(pipeline, socket);
      } else if (response.headersSent) cutOff(response);
      else refuse(response);
      return true;
    },
    closeAfterAnswers(socket, isBroken) {
      const pipeline = pipelines.get(socket);
      const [last] = pipeline?.waiting.at(-1) ?? pipeline?.current ?? [];
      if (pipeline === undefined || last?.complete !== true) return false;
      if (pipeline.waiting.length + 1 >= MAX_UNANSWERED) return false;
      if (isBroken) stopParsing(socket);
      closeAfter(pipeline, socket);
      return true;
    },
  };
}

/**
 * The requests of a pipeline are answered. Clients repeat a request that a closed connection left unanswered. A client that
 * is still sending would get a reset, which can discard the last answer before it is read (RFC 9112, 9.6). So only our
 * direction is closed at first.
 */
function closeAfter({ waiting, current }: Pipeline, socket: Socket): void {
  (waiting.at(-1) ?? current)?.[1].once('finish', () => {
    socket.end();
    cutLater(socket);
  });
}

/** Node resumes reading after each request that it has parsed, so reading is paused again whenever it is resumed. */
function stopReading(socket: Socket): void {
  socket.on('resume', socket.pause);
  socket.pause();
}

function resumeReading(socket: Socket): void {
  socket.off('resume', socket.pause);
  socket.resume();
}
