/** A client's connection: it takes what is said as fast as it is read, and is closed where nobody is there any more. */

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';

export interface Connection {
  /** Sends a message, where there is still somebody to read it. */
  say(text: string): void;
  /** Sends all that `tell` says in one write. @throws what it throws. */
  together(tell: () => void): void;
  /** Whether more messages are wanted. */
  readOn(isWanted: boolean): void;
  /** Whether answers are held, and nothing is read, because the client does not read. */
  isHeld(): boolean;
  /** Holds an answer whenever the client does not read what is said, until it is over. */
  hold(answer: IncomingMessage): void;
}

/** Milliseconds between two looks whether the client is still there, which also tell what is in between. */
const PING = 30_000;

/** Bytes that may wait for the client before its answers are held, and it is heard no further. */
const HIGH_WATER_MARK = 256 * 1024;

/**
 * @param raw what is below `socket`.
 * @param unread milliseconds that something may wait for a client who takes none of it.
 */
export function keepConnection(socket: WebSocket, raw: Socket, unread: number): Connection {
  const answers = new Set<IncomingMessage>();
  let isHeld = false;
  let isWanted = true;
  let read = -1;

  const readIfWanted = (): void => {
    if (isWanted && !isHeld) socket.resume();
    else socket.pause();
  };
  raw.on('drain', () => {
    isHeld = false;
    for (const answer of answers) answer.resume();
    readIfWanted();
  });
  // Node's own timer of a socket: it is set back by every byte that the client takes.
  raw.setTimeout(unread).on('timeout', () => {
    if (raw.writableLength > 0) socket.terminate();
  });

  const ping = setInterval(() => {
    // Of a connection that is not read nothing is heard, and whoever has something to read is slow, or let go for that.
    if (socket.isPaused || raw.writableLength > 0) {
      read = -1;
      return;
    }
    // Nothing else is said while a long message comes.
    if (read === raw.bytesRead) {
      socket.terminate();
      return;
    }
    read = raw.bytesRead;
    socket.ping();
  }, PING).unref();
  // A message that is too long, or no UTF-8: the connection is closed with the code that says so (RFC 6455, 7.4.1).
  socket.on('error', () => {});
  socket.on('close', () => clearInterval(ping));

  return {
    say(text) {
      if (socket.readyState !== socket.OPEN) return;
      socket.send(text);
      if (raw.writableLength <= HIGH_WATER_MARK) return;
      isHeld = true;
      for (const answer of answers) answer.pause();
      readIfWanted();
    },
    isHeld: () => isHeld,
    readOn(wanted) {
      if (isWanted === wanted) return;
      isWanted = wanted;
      readIfWanted();
    },
    together(tell) {
      raw.cork();
      try {
        tell();
      } finally {
        raw.uncork();
      }
    },
    hold(answer) {
      answers.add(answer);
      answer.once('close', () => answers.delete(answer));
    },
  };
}
