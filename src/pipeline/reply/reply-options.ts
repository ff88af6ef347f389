/** How replies are sent to callers, as the configuration sets it. */

export interface ReplyOptions {
  /** Milliseconds of silence after which a translated stream sends a keep-alive. */
  readonly keepAlive: number;
  /**
   * Milliseconds that the head of a translated stream waits for the first event, so that a failure can have its own
   * status.
   */
  readonly hold: number;
  /** Whether the protocol validator checks streams as they are sent. */
  readonly validate: boolean;
}
