/** Finds the descriptions of configuration fields: the TSDoc comments in the files that hold the zod schemas. */

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseSync } from 'rolldown/experimental';

/** A node of the syntax tree, as far as it is looked at. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Module {
  readonly path: string;
  readonly text: string;
  readonly body: readonly Node[];
  /** Comments by where they end. */
  readonly comments: readonly { readonly value: string; readonly end: number }[];
}

/** A schema in a module: its expression, and what is said above its declaration. */
interface Declared {
  readonly module: Module;
  readonly value: Node;
  readonly doc: string | undefined;
}

/** The functions of zod whose object lists fields. */
const OBJECTS = new Set(['object', 'strictObject', 'looseObject', 'extend']);

/** Collects descriptions by the names of fields, joined with a dot: lists, records and alternatives add no name. */
export function fieldDocs(file: string, name: string): ReadonlyMap<string, string> {
  const modules = new Modules();
  const root = modules.find(modules.open(resolve(file)), name);
  if (root === undefined) throw new Error(`${file} has no ${name}.`);
  const docs = new Map<string, string>();
  collect(root, '', []);
  return docs;

  function collect({ module, value }: Declared, prefix: string, within: readonly Node[]): void {
    // A schema may refer to itself (`prices.later.prices`).
    if (within.includes(value)) return;
    const inside = [...within, value];
    visit(value, (node) => {
      if (node.type === 'Identifier') {
        const declared = modules.find(module, String(node['name']));
        if (declared !== undefined) collect(declared, prefix, inside);
        return false;
      }
      if (!isFields(node, module, value)) return true;
      for (const property of nodesIn(node['properties'])) collectField(module, property, prefix, inside);
      return false;
    });
  }

  /** @param property a field with its schema, or the spread of an object with more fields. */
  function collectField(module: Module, property: Node, prefix: string, within: readonly Node[]): void {
    const { key, value: field, argument } = property;
    if (isNode(argument)) collect({ module, value: argument, doc: undefined }, prefix, within);
    if (!isNode(key) || !isNode(field)) return;
    const path = prefix + String(key['name'] ?? key['value']);
    const first = firstName(field);
    const doc = docBefore(module, property) ?? (first && modules.find(module, first)?.doc);
    if (doc !== undefined && !docs.has(path)) docs.set(path, doc);
    collect({ module, value: field, doc }, `${path}.`, within);
  }
}

/** The modules that were read, by their paths. */
class Modules {
  readonly #modules = new Map<string, Module>();

  open(path: string): Module {
    const known = this.#modules.get(path);
    if (known !== undefined) return known;
    const text = readFileSync(path, 'utf8');
    const { program, comments } = parseSync(path, text);
    const module = { path, text, body: nodesIn(program.body), comments };
    this.#modules.set(path, module);
    return module;
  }

  /** Finds what a name stands for in a module, or in the one that it is imported from. */
  find(module: Module, name: string): Declared | undefined {
    for (const statement of module.body) {
      const declared = declaredIn(statement, module, name);
      if (declared !== undefined) return declared;
      const source = importedFrom(statement, name);
      if (source?.startsWith('.')) return this.find(this.open(resolve(dirname(module.path), source)), name);
    }
    return undefined;
  }
}

/** What a statement declares under a name; undefined if it declares no such name. */
function declaredIn(statement: Node, module: Module, name: string): Declared | undefined {
  const declaration = isNode(statement['declaration']) ? statement['declaration'] : statement;
  for (const { id, init } of nodesIn(declaration['declarations'])) {
    if (isNode(id) && id['name'] === name && isNode(init))
      return { module, value: init, doc: docBefore(module, statement) };
  }
  return undefined;
}

/** Where a statement imports a name from; undefined if it does not import it. */
function importedFrom({ type, source, specifiers }: Node, name: string): string | undefined {
  if (type !== 'ImportDeclaration' || !isNode(source)) return undefined;
  const isImported = nodesIn(specifiers).some(({ local }) => isNode(local) && local['name'] === name);
  return isImported ? String(source['value']) : undefined;
}

/** Whether an object lists fields: it is what a function of zod gets, or a constant that is spread into one. */
function isFields(node: Node, { text }: Module, root: Node): boolean {
  if (node.type !== 'ObjectExpression') return false;
  const before = /(\w+)\($/.exec(text.slice(Math.max(0, node.start - 40), node.start).trimEnd());
  return node === root || (before?.[1] !== undefined && OBJECTS.has(before[1]));
}

/** The name that an expression begins with: `names` in `names.exactOptional()`. */
function firstName(node: Node): string | undefined {
  if (node.type === 'Identifier') return String(node['name']);
  for (const inner of [node['callee'], node['object']]) if (isNode(inner)) return firstName(inner);
  return undefined;
}

/** The TSDoc comment right before a node, as one text. */
function docBefore({ comments, text }: Module, { start }: Node): string | undefined {
  const comment = comments.find(({ end }) => end <= start && text.slice(end, start).trim() === '');
  if (!comment?.value.startsWith('*')) return undefined;
  return comment.value
    .slice(1)
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
    .join(' ')
    .trim();
}

function visit(node: Node, enter: (node: Node) => boolean): void {
  if (!enter(node)) return;
  // Names of properties are no names of schemas.
  const skipped = node.type === 'MemberExpression' && node['computed'] !== true ? 'property' : undefined;
  for (const [key, value] of Object.entries(node)) {
    if (key === skipped || node.type === 'Property') continue;
    for (const inner of isNode(value) ? [value] : nodesIn(value)) visit(inner, enter);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function nodesIn(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}
