/** What an exchange used of the limits of its key and of the key's group. */

export interface Consumption {
  /** The name of the key. */
  readonly key: string;
  /** The name of the key's group at that time. */
  readonly group?: string | undefined;
  /** What the exchange was for. */
  readonly tag?: string | undefined;
  /** The limits for some models that it counts for, as `Limits.placesByModel` named them. */
  readonly modelLimits?: readonly string[] | undefined;
  /** Input and output tokens. */
  readonly tokens: number;
  /** US dollars. */
  readonly cost: number;
  /** When the exchange began, in milliseconds since 1970. */
  readonly time: number;
}
