/** `./translate` makes of a request what the gateway makes of it, as `gateway explain` shows it. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeCatalog } from '../../src/catalog/catalog.ts';
import { readConfig } from '../../src/config/load.ts';
import { catalogModels } from '../../src/config/models.ts';
import { everyVendor } from '../../src/config/vendors.ts';
import { FORMAT_NAMES, type FormatName } from '../../src/conversation/prompt.ts';
import { explain, type Served } from '../../src/devtools/explain.ts';
import { GatewayError } from '../../src/lib/errors.ts';
import { asObject, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { chooseFormat, translateRequest } from '../../src/translate/index.ts';
import { FIXTURES } from '../support/recording.ts';

const config = await readConfig({}, FIXTURES);
const served: Served = {
  catalog: makeCatalog(catalogModels(config), config.aliases),
  vendors: everyVendor(config),
  reach: { generateContent: 'all', countTokens: 'all' },
};

/** Bodies that are refused, or whose answer is not in the endpoint's own format. */
const OTHERS: readonly (readonly [FormatName, JsonObject])[] = [
  ['chat-completions', { model: 'm', input: 'Hello', tools: [{ type: 'custom', name: 'apply' }] }],
  ['chat-completions', { model: 'm', messages: [{ role: 'user', content: 'Hi' }], audio: { colour: 'red' } }],
  ['responses', { model: 'm', input: 'Hello', tools: [{ type: 'time_machine' }] }],
  [
    'messages',
    { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], thinking: { type: 'x' } },
  ],
  ['messages', { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }],
  ['generate-content', { contents: [{ parts: [{ text: 'Hi' }] }], toolConfig: { unheard: 1 } }],
];

const requests = [
  ...FORMAT_NAMES.flatMap((from) => {
    const folder = join(FIXTURES, 'requests', from);
    return readdirSync(folder).map((name) => {
      const body = asObject(parseJson(readFileSync(join(folder, name), 'utf8'))) ?? {};
      return { from, name, body };
    });
  }),
  ...OTHERS.map(([from, body], at) => ({ from, name: `other ${at}`, body })),
];

/** What comes of a request, or the error that it meets. */
function outcome(run: () => object): object {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { fault: error.fault, message: error.message, param: error.param };
  }
}

describe.each(served.catalog.models.map(({ id }) => id))('for %s', (model) => {
  test('every request becomes the same, with the same notes, or is refused in the same words', () => {
    for (const { from, name, body } of requests) {
      const ours = outcome(() => {
        const to = chooseFormat({ from, model, body });
        if (to === undefined) throw new Error(`The library does not know ${model}.`);
        const { body: request, notes, mapped } = translateRequest({ from, to, model, body });
        return { to, request, notes, mapped };
      });
      const theirs = outcome(() => {
        const { to, request, notes, mapped } = explain(served, from, model, body);
        return { to, request, notes, mapped };
      });
      expect(ours, `${from}/${name}`).toEqual(theirs);
    }
  });
});
