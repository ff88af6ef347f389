/** A response with the settings of its request, which are most of it: an agent's instructions and tools. */

import { isEmpty, type JsonObject, withFirst } from '../../../lib/json.ts';

/** The settings that each response object of one answer repeats. */
export class EchoedSettings {
  readonly fields: JsonObject;
  #text: string | undefined;

  constructor(fields: JsonObject) {
    this.fields = fields;
  }

  /** The fields as JSON without the brackets. They are written once for all events of a stream. */
  text(): string {
    this.#text ??= JSON.stringify(this.fields).slice(1, -1);
    return this.#text;
  }
}

export class RenderedResponse {
  readonly #settings: EchoedSettings;
  readonly #fields: JsonObject;
  readonly #others: JsonObject;

  /**
   * @param fields what is not a setting
   * @param others what is known of the answer besides, if neither the settings nor the fields have it
   */
  constructor(settings: EchoedSettings, fields: JsonObject, others: JsonObject) {
    this.#settings = settings;
    this.#fields = fields;
    this.#others = others;
  }

  object(): JsonObject {
    return withFirst(this.#others, { ...this.#settings.fields, ...this.#fields });
  }

  /** The object as JSON.stringify writes it. */
  text(): string {
    if (!isEmpty(this.#others)) return JSON.stringify(this.object());
    return `{${this.#settings.text()},${JSON.stringify(this.#fields).slice(1)}`;
  }
}
