/**
 * `src/translate/sdk-fields.ts` lists the fields of the SDKs' types. After an SDK update, read what is new
 * in them, decide on each field that names a model or stored data, and regenerate the file: `npx vitest run
 * test/pipeline/sdk-fields.test.ts -u`.
 */

import { expect, test } from 'vitest';
import { FORMAT_NAMES } from '../../src/conversation/prompt.ts';
import { type SdkFields, sdkFields } from '../support/sdk-fields.ts';

const HEAD = `/**
 * The request fields that the vendors' SDKs know, as paths, and the types of tools: generated from the SDKs' types by
 * \`test/pipeline/sdk-fields.test.ts\`. A path does not mention lists; what ends in \`.*\` may hold anything.
 */

import type { FormatName } from '../conversation/prompt.ts';

export interface SdkFields {
  readonly fields: readonly string[];
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

function written(all: Readonly<Record<string, SdkFields>>): string {
  const formats = FORMAT_NAMES.map((format) => {
    const { fields = [], tools = [] } = all[format] ?? {};
    return `  ${/-/.test(format) ? `'${format}'` : format}: {\n${listed('fields', fields)}${listed('tools', tools)}  },\n`;
  });
  return `${HEAD}${formats.join('')}};\n`;
}

test("the list of known fields matches the SDKs' types", async () => {
  await expect(written(sdkFields(false))).toMatchFileSnapshot('../../src/translate/sdk-fields.ts');
});
