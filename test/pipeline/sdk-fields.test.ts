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
 * \`test/pipeline/sdk-fields.test.ts\`. Lists are left out; what has a \`*\` may hold anything. As a tree the names take
 * 1.7 KB less of what a browser loads than as paths.
 */

import type { FormatName } from '../conversation/prompt.ts';

/** The fields of an object by their names, each with those of the object that it holds; 1 for one that holds none. */
export interface FieldTree {
  readonly [name: string]: FieldTree | 1;
}

export interface SdkFields {
  readonly fields: FieldTree;
  readonly tools: readonly string[];
}

export const SDK_FIELDS: Readonly<Record<FormatName, SdkFields>> = {
`;

function listed(name: string, texts: readonly string[]): string {
  if (texts.length === 0) return `    ${name}: [],\n`;
  const oneLine = `    ${name}: [${texts.map((text) => `'${text}'`).join(', ')}],\n`;
  if (oneLine.length <= 111) return oneLine;
  return `    ${name}: [\n${texts.map((text) => `      '${text}',\n`).join('')}    ],\n`;
}

type Branch = Map<string, Branch>;

function treeWith(paths: readonly string[]): Branch {
  const root: Branch = new Map();
  for (const path of paths) {
    let at = root;
    for (const name of path.split('.')) at = at.getOrInsertComputed(name, () => new Map());
  }
  return root;
}

function nested(tree: Branch, indent: string): string {
  const fields = [...tree].map(([name, inner]) => {
    const key = /^\w+$/.test(name) ? name : `'${name}'`;
    return `${indent}  ${key}: ${inner.size === 0 ? '1' : nested(inner, `${indent}  `)},\n`;
  });
  return `{\n${fields.join('')}${indent}}`;
}

function written(all: Readonly<Record<string, SdkFields>>): string {
  const formats = FORMAT_NAMES.map((format) => {
    const { fields = [], tools = [] } = all[format] ?? {};
    return `  ${/-/.test(format) ? `'${format}'` : format}: {\n    fields: ${nested(treeWith(fields), '    ')},\n${listed('tools', tools)}  },\n`;
  });
  return `${HEAD}${formats.join('')}};\n`;
}

test("the list of known fields matches the SDKs' types", async () => {
  await expect(written(sdkFields(false))).toMatchFileSnapshot('../../src/translate/sdk-fields.ts');
});
