/** What defines a tool that the caller runs, and the parts of JSON Schema that such definitions need. */

import type { JsonObject } from '../../lib/json.ts';

/** What a model must know about a tool. `properties` and `required` are those of its input's schema. */
export interface Definition {
  readonly description: string;
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

/** One type of Anthropic's tools. */
export interface ClientTool {
  /** Fields of the tool's declaration that configure it. The definition takes them into account. */
  readonly settings: readonly string[];
  /** @param settings those fields of the declaration, and its `type`. */
  readonly define: (settings: JsonObject) => Definition;
}

/** The schema of a text. */
export function text(description: string) {
  return { type: 'string', description };
}

/** The schema of a text that is one of several. */
export function enumSchema(values: readonly string[]) {
  return { type: 'string', enum: values };
}

/** The schema of a list of a fixed number of integers. */
export function integers(count: number) {
  return { type: 'array', items: { type: 'integer' }, minItems: count, maxItems: count };
}
