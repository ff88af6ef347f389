/** How much of a process's time and connections callers may take, as the configuration sets it. */

/** All in milliseconds. */
export interface CallerTimeouts {
  /** Until the head of a request is complete. */
  readonly requestHead: number;
  /** Until the body of a request is complete. */
  readonly requestBody: number;
  /**
   * Between two requests of a connection. Load balancers in front usually keep theirs for 60 s, and ours must last
   * longer.
   */
  readonly connectionIdle: number;
  /** How long bytes may wait for a caller who reads nothing. */
  readonly unread: number;
}

export interface SocketLimits {
  /** Open WebSockets, in total. */
  readonly webSockets: number;
  /** Open WebSockets of one key. */
  readonly webSocketsPerKey: number;
}
