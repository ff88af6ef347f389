/** What callers may take of a process's time and connections, as the configuration says it. */

/** Milliseconds. */
export interface CallerTimeouts {
  /** Until a request's head is there. */
  readonly requestHead: number;
  /** Until its body is. */
  readonly requestBody: number;
  /** Between two requests of a connection. Balancers in front keep theirs for 60 s as a rule: ours must last longer. */
  readonly connectionIdle: number;
  /** That bytes may wait for a caller who takes none of them. */
  readonly unread: number;
}

export interface SocketLimits {
  /** Open WebSockets, in all. */
  readonly webSockets: number;
  /** Open WebSockets of one key. */
  readonly webSocketsPerKey: number;
}
