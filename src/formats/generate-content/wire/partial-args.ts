/**
 * Arguments that come piece by piece (Vertex AI, `streamFunctionCallArguments`). Each piece names its place by a JSON
 * Path (RFC 9535) of names and indexes, and a text may come in several pieces. A piece without a value ends a text or a
 * list (`$.tags[]`); if nothing has come at its place, it stands for an empty list or object (vercel/ai#14358).
 */

import type { GatewayError } from '../../../lib/errors.ts';
import { asText, isObject, type Json, type JsonObject } from '../../../lib/json.ts';

/** A value that grows. Its objects have no prototype, so no name in them means anything to JavaScript. */
type Growing = null | boolean | number | string | Growing[] | { [name: string]: Growing };

const MAX_STEPS = 100;
const LIST_END = '[]';
const STEP = /\.([^.[\]]+)|\[(\d+)\]|\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/gy;

/** Puts the pieces of one call's arguments together. */
export class PartialArgs {
  readonly #misplaced: () => GatewayError;
  readonly #root: { [name: string]: Growing } = emptyObject();
  /** The place of a text that goes on in the next piece. */
  #open: string | undefined;

  /** @param misplaced the error for a piece that has no place in the arguments. */
  constructor(misplaced: () => GatewayError) {
    this.#misplaced = misplaced;
  }

  /** Adds a piece. @throws the error of `misplaced` if it has no place in the arguments. */
  add(piece: JsonObject): void {
    const path = asText(piece['jsonPath']) ?? '';
    const value = pieceValue(piece);
    const goesOn = piece['willContinue'] === true;
    if (value !== undefined) this.#set(parsePath(path), value, this.#open === path);
    else if (path === '$' || goesOn) return;
    else this.#end(path);
    this.#open = goesOn ? path : undefined;
  }

  /** All arguments so far, as JSON text. */
  text(): string {
    return JSON.stringify(this.#root);
  }

  #end(path: string): void {
    const isList = path.endsWith(LIST_END);
    const steps = parsePath(isList ? path.slice(0, -LIST_END.length) : path);
    const known = steps?.reduce<Growing | undefined>(findChild, this.#root);
    if (known === undefined) this.#set(steps, isList ? [] : emptyObject(), false);
  }

  #set(steps: readonly (string | number)[] | undefined, value: Growing, isMore: boolean): void {
    if (steps === undefined || !setAt(this.#root, steps, value, isMore)) throw this.#misplaced();
  }
}

function pieceValue(piece: JsonObject): Growing | undefined {
  const value: Json | undefined = piece['stringValue'] ?? piece['numberValue'] ?? piece['boolValue'];
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (JSON.isRawJSON(value)) return value;
  return 'nullValue' in piece ? null : undefined;
}

/** The steps of a path; undefined if the text is not a path. */
function parsePath(path: string): readonly (string | number)[] | undefined {
  const written = path.replace(/^\$/, '');
  const steps = [...written.matchAll(STEP)];
  const isWhole = steps.map(([step]) => step).join('') === written;
  if (!isWhole || steps.length === 0 || steps.length > MAX_STEPS) return undefined;
  return steps.map(([, name, index, single, double]) => {
    const quoted = (single ?? double)?.replaceAll(/\\(.)/g, '$1');
    return index === undefined ? (name ?? quoted ?? '') : Number(index);
  });
}

/** Whether there is such a place. */
function setAt(
  root: { [name: string]: Growing },
  steps: readonly (string | number)[],
  value: Growing,
  isMore: boolean,
): boolean {
  let at: Growing = root;
  for (const [depth, step] of steps.entries()) {
    const isLast = depth === steps.length - 1;
    const known: Growing | undefined = findChild(at, step);
    if (isLast) {
      const isText = typeof known === 'string' && typeof value === 'string' && isMore;
      return putChild(at, step, isText ? known + value : value);
    }
    const next: Growing = known ?? (typeof steps[depth + 1] === 'number' ? [] : emptyObject());
    if ((known === undefined || known === null) && !putChild(at, step, next)) return false;
    at = next;
  }
  return false;
}

function findChild(parent: Growing | undefined, step: string | number): Growing | undefined {
  if (Array.isArray(parent)) return parent[parseIndex(step)];
  return parent !== undefined && isGrowingObject(parent) ? parent[String(step)] : undefined;
}

/** The index that a step means: behind a dot it is written like a name. NaN for a name. */
function parseIndex(step: string | number): number {
  return typeof step === 'number' || /^\d+$/.test(step) ? Number(step) : Number.NaN;
}

/**
 * Whether there is such a place in the parent. Lists grow by one item at a time: no model means an index far beyond the
 * end.
 */
function putChild(parent: Growing, step: string | number, value: Growing): boolean {
  if (Array.isArray(parent) && parseIndex(step) <= parent.length) parent[parseIndex(step)] = value;
  else if (!Array.isArray(parent) && isGrowingObject(parent)) parent[String(step)] = value;
  else return false;
  return true;
}

function isGrowingObject(value: Growing): value is { [name: string]: Growing } {
  return isObject(value) && !JSON.isRawJSON(value);
}

function emptyObject(): { [name: string]: Growing } {
  return Object.create(null);
}
