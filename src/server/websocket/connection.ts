/** A client's connection: answers are paced by how fast the client reads, and a dead connection is closed. */

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';

/** What a session sends over, and how it paces what it reads. */
export interface Connection {
  /** Sends a message if the connection is still open. */
  send(text: string): void;
  /**
   * Sends everything that `write` sends in one write.
   * @throws whatever `write` throws
   */
  cork(write: () => void): void;
  /** Sets whether more messages are read. */
  setReading(isWanted: boolean): void;
  /** Whether answers are paused and nothing is read, because the client does not read. */
  isPaused(): boolean;
  /** Pauses an answer whenever the client does not read, until the answer ends. */
  pace(answer: IncomingMessage): void;
}

/** Milliseconds between two pings, which also keep proxies on the way from closing the connection. */
const PING = 30_000;

/** Bytes that may wait for the client before its answers are paused and nothing more is read. */
const HIGH_WATER_MARK = 256 * 1024;

/**
 * Paces the answers of a connection and pings its client.
 * @param raw the connection below `socket`
 * @param unreadTimeout milliseconds that data may wait for a client that does not read
 * @returns how to send over the connection and how to pace it
 */
export function paceConnection(socket: WebSocket, raw: Socket, unreadTimeout: number): Connection {
  const answers = new Set<IncomingMessage>();
  let isPaused = false;
  let isWanted = true;
  let read = -1;

  const readIfWanted = (): void => {
    if (isWanted && !isPaused) socket.resume();
    else socket.pause();
  };
  raw.on('drain', () => {
    isPaused = false;
    for (const answer of answers) answer.resume();
    readIfWanted();
  });
  // This is Node's own timer of the socket, which every byte that the client takes resets.
  raw.setTimeout(unreadTimeout).on('timeout', () => {
    if (raw.writableLength > 0) socket.terminate();
  });

  const ping = setInterval(() => {
    // Nothing is heard from a connection that is not read, and a client with unread data is slow, not gone.
    if (socket.isPaused || raw.writableLength > 0) {
      read = -1;
      return;
    }
    // A client sends no pong while a long message arrives, but the bytes of the message count.
    if (read === raw.bytesRead) {
      socket.terminate();
      return;
    }
    read = raw.bytesRead;
    socket.ping();
  }, PING).unref();
  // If a message is too long or not UTF-8, `ws` closes the connection with the fitting code (RFC 6455, 7.4.1).
  socket.on('error', () => {});
  socket.on('close', () => clearInterval(ping));

  return {
    send(text) {
      if (socket.readyState !== socket.OPEN) return;
      socket.send(text);
      if (raw.writableLength <= HIGH_WATER_MARK) return;
      isPaused = true;
      for (const answer of answers) answer.pause();
      readIfWanted();
    },
    isPaused: () => isPaused,
    setReading(wanted) {
      if (isWanted === wanted) return;
      isWanted = wanted;
      readIfWanted();
    },
    cork(write) {
      raw.cork();
      try {
        write();
      } finally {
        raw.uncork();
      }
    },
    pace(answer) {
      answers.add(answer);
      answer.on('close', () => answers.delete(answer));
    },
  };
}
