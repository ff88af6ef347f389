/**
 * Requests of coding agents as they are after an hour of work: a long history of tools, and all other fields.
 */

import type { FormatName } from '../../../src/conversation/prompt.ts';
import type { JsonObject } from '../../../src/lib/json.ts';

export interface Agent {
  readonly name: string;
  readonly format: FormatName;
  /** A model whose vendor has the agent's own format. */
  readonly home: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The two tools that the prompt asks for, one after the other. */
  readonly tools: readonly [string, string];
  path(model: string, stream: boolean): string;
  /** The request after `steps` steps of work. */
  body(model: string, steps: number, stream: boolean): JsonObject;
  /** The same request continued with a whole answer, and the results of the calls in it. */
  after(body: JsonObject, answer: JsonObject): JsonObject;
}

/**
 * A tool result: about 4 KB of code, umlauts, emoji, quotes and control characters, different in each step.
 */
export function output(step: number): string {
  const line = `${step}: const größe = "naïve \\"quoted\\" \u2028 漢字 👩‍💻\t${'x'.repeat(40)}"; // \u001b[32mok\u001b[0m\r\n`;
  return line.repeat(34);
}

export function asked([first, second]: Agent['tools']): string {
  return `Call ${first} with "git status", then ${second} for "src/a.ts".`;
}

/** That many steps of work, each with its description. */
export function history(steps: number, step: (index: number) => readonly JsonObject[]): JsonObject[] {
  return Array.from({ length: steps }, (_, index) => step(index)).flat();
}
