/** What an exchange took of the limits of its key and of the key's group. */

export interface Consumption {
  /** Name of the key. */
  readonly key: string;
  /** Name of the group that it was of. */
  readonly group?: string | undefined;
  /** Full id of the model that answered; absent where none was resolved. */
  readonly model?: string | undefined;
  /** Input and output. */
  readonly tokens: number;
  /** US dollars. */
  readonly cost: number;
  /** When it began, milliseconds since 1970. */
  readonly time: number;
}
