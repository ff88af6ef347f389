/** The function calls of one candidate: their ids, their names, and their arguments. */

import type { OpenPart } from '../../../conversation/reply.ts';
import { argumentsText } from '../../../conversation/rules/arguments.ts';
import { asObject, asObjects, asText, type JsonObject } from '../../../lib/json.ts';
import { brokenAnswer } from '../../event-data.ts';
import { makeCallId } from '../wire/ids.ts';
import { PartialArgs } from '../wire/partial-args.ts';
import { stripModule } from './tool-names.ts';

/** What all candidates of one answer share. */
export interface Answer {
  /** Whether the model signs its texts, at their end. */
  readonly signsTexts: boolean;
  /** The stem of the ids that calls without one get; '' if they get none here (`unique-call-ids.ts`). */
  readonly stem: string;
  /** The caller's names of functions whose names Gemini would not take. */
  readonly names: ReadonlyMap<string, string>;
  /**
   * The functions that the caller runs, if Google makes calls of its own too (MCP servers). Absent: the caller runs
   * all.
   */
  readonly declared?: ReadonlySet<string>;
}

/** Reads the calls of one candidate. */
export class CandidateCalls {
  readonly #choice: number;
  readonly #answer: Answer;
  #ids: Set<string> | undefined;
  #count = 0;
  #pieces: PartialArgs | undefined;

  constructor(choice: number, answer: Answer) {
    this.#choice = choice;
    this.#answer = answer;
  }

  /** A new call as the part that it opens. @param wireName its name as Gemini writes it. */
  open(call: JsonObject, wireName: string): Extract<OpenPart, { kind: 'tool-call' }> {
    const { stem, names } = this.#answer;
    const position = this.#choice === 0 ? `${this.#count}` : `${this.#choice}-${this.#count}`;
    const given = asText(call['id']);
    // Services in front of Gemini may give the name of the function as the id: two calls of it would share one.
    this.#ids ??= new Set();
    const id = given && !this.#ids.has(given) ? given : stem && makeCallId(stem, position);
    const name = stripModule(wireName);
    this.#ids.add(id);
    this.#count++;
    return { kind: 'tool-call', id, name: names.get(name) ?? name };
  }

  /** Reads the arguments in a piece of the open call. @returns JSON text of those that come whole; '' if none do. */
  read(call: JsonObject): string {
    for (const piece of asObjects(call['partialArgs'])) {
      this.#pieces ??= new PartialArgs(() => brokenAnswer('an argument that has no place in its call'));
      this.#pieces.add(piece);
    }
    // Some services write the JSON text of the object.
    return argumentsText(call['args']);
  }

  /** Ends the pieces of the open call. @returns JSON text of the arguments that came in pieces; '' if none did. */
  takePieces(): string {
    const text = this.#pieces?.text() ?? '';
    this.#pieces = undefined;
    return text === '{}' ? '' : text;
  }

  /** Whether a part holds a call that Google makes and answers itself, so that the caller must not make it. */
  isGooglesOwn(part: JsonObject): boolean {
    const name = asText(asObject(part['functionCall'])?.['name']);
    return name !== undefined && this.#answer.declared?.has(stripModule(name)) === false;
  }

  /** Whether any call has come. */
  hasAny(): boolean {
    return this.#count > 0;
  }
}
