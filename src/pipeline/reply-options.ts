/** How replies are brought to callers: milliseconds, as the configuration says them. */

export interface ReplyOptions {
  /** Milliseconds of silence after which a translated stream says that it is alive. */
  readonly keepAlive: number;
  /** Milliseconds that the head of a translated stream waits for the first event, so that a failure has its status. */
  readonly hold: number;
  /** Whether streams are judged by the protocol validator as they go out. */
  readonly validate: boolean;
}
