/**
 * `src/translate/sdk-fields.ts` lists the fields of the SDKs' types. After an SDK update, read what is new
 * in them, decide on each field that names a model or stored data, and regenerate the file: `npx vitest run
 * test/pipeline/sdk-fields.test.ts -u`.
 */

import { expect, test } from 'vitest';
import { FORMAT_NAMES } from '../../src/conversation/prompt.ts';
import { type SdkFields, sdkFields } from '../support/sdk-fields.ts';

const HEAD = `/**
 * The request fields that the vendors' SDKs know, and the types of tools: generated from the SDKs' types by
 * \`test/pipeline/sdk-fields.test.ts\`. Behind a field, in brackets, are those of the object that it holds. Lists are
 * left out; what has a \`*\` may hold anything.
 */

import type { FormatName } from '../conversation/prompt.ts';

interface SdkFields {
  readonly fields: string;
  readonly tools: string;
}

export const SDK_FIELDS: Readonly<Record<FormatName, SdkFields>> = {
`;

type Branch = Map<string, Branch>;

function treeWith(paths: readonly string[]): Branch {
  const root: Branch = new Map();
  for (const path of paths) {
    let at = root;
    for (const name of path.split('.')) at = at.getOrInsertComputed(name, () => new Map());
  }
  return root;
}

/** The fields of a tree, each with those that it holds in brackets. */
function nested(tree: Branch): readonly string[] {
  return [...tree].map(([name, inner]) => (inner.size === 0 ? name : `${name}(${nested(inner).join(' ')})`));
}

/** Breaks a text at its blanks into lines of at most 110 characters. @param indent before the lines after the first. */
function wrapped(text: string, indent: string): string {
  let lines = '';
  let line = '     ';
  for (const word of text.split(' ')) {
    if (line.length + word.length > 109) {
      lines += `${line}\n`;
      line = indent;
    }
    line += ` ${word}`;
  }
  return `${lines}${line}\n`;
}

/** A template literal that holds these lines. */
function literal(lines: string): string {
  return lines === '' ? "''" : `\`\n${lines}    \``;
}

function written(all: Readonly<Record<string, SdkFields>>): string {
  const formats = FORMAT_NAMES.map((format) => {
    const { fields = [], tools = [] } = all[format] ?? {};
    const lines = nested(treeWith(fields)).map((field) => wrapped(field, '       '));
    const types = tools.length === 0 ? '' : wrapped(tools.join(' '), '     ');
    const name = /-/.test(format) ? `'${format}'` : format;
    return `  ${name}: {\n    fields: ${literal(lines.join(''))},\n    tools: ${literal(types)},\n  },\n`;
  });
  return `${HEAD}${formats.join('')}};\n`;
}

test("the list of known fields matches the SDKs' types", async () => {
  await expect(written(sdkFields(false))).toMatchFileSnapshot('../../src/translate/sdk-fields.ts');
});
