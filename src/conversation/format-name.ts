/** The wire formats by name, and fields that belong to one of them. */

import type { JsonObject } from '../lib/json.ts';

/** The names of all formats. */
export const FORMAT_NAMES = ['chat-completions', 'responses', 'messages', 'generate-content'] as const;

export type FormatName = (typeof FORMAT_NAMES)[number];

/** Fields that mean something in one format alone. */
export interface FormatSpecific {
  readonly format: FormatName;
  readonly fields: JsonObject;
  /** What the format keeps beside them only to write the same text again. Other formats lose nothing without it. */
  readonly roundTrip?: JsonObject;
  /** The index of the message or item that holds a part; absent in formats that have one message for each turn. */
  readonly item?: number;
}
