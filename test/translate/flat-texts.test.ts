/**
 * V8 keeps a text that is joined or cut as a reference to others, and JSON.stringify takes two to three times as long for
 * a body with one such text. What V8 itself says of the texts of translated requests is printed by a process of its own,
 * as its natives are not part of JavaScript.
 */

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const SCRIPT = `
  import { readdirSync, readFileSync } from 'node:fs';
  import { FORMAT_NAMES, GatewayError, translateRequest } from '${new URL('../../src/translate/index.ts', import.meta.url)}';
  import { flat } from '${new URL('../../src/lib/flat-text.ts', import.meta.url)}';

  const REQUESTS = new URL('${new URL('../../fixtures/requests/', import.meta.url)}');
  const MODELS = {
    'chat-completions': 'openai/gpt-4.1',
    responses: 'openai/gpt-5',
    messages: 'anthropic/claude-sonnet-4-5',
    'generate-content': 'google/gemini-3-flash-preview',
  };

  function showAll(value) {
    if (typeof value === 'string') %DebugPrint(value);
    else if (typeof value === 'object' && value !== null && !JSON.isRawJSON(value))
      for (const inner of Object.values(value)) showAll(inner);
  }

  const long = Array.from({ length: 40 }, (_, at) => 'word ' + at).join(' ');
  showAll([long + long.length, long.slice(3), flat(long + long.length), flat(long.slice(3))]);

  for (const from of FORMAT_NAMES)
    for (const file of readdirSync(new URL(from + '/', REQUESTS)))
      for (const to of FORMAT_NAMES) {
        if (to === from) continue;
        const body = JSON.parse(readFileSync(new URL(from + '/' + file, REQUESTS), 'utf8'));
        try {
          showAll(translateRequest({ from, to, model: MODELS[to], body: body.body ?? body }).body);
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error;
        }
      }`;

test('the texts of a translated request are in one piece', () => {
  const args = ['--allow-natives-syntax', '--input-type=module', '--eval', SCRIPT];
  const said = execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  const texts = said.split(/^DebugPrint: 0x\w+: \[String\]/m).slice(1);
  const kinds = texts.map((text) => /^ - type: ([A-Z]+)/m.exec(text)?.[1]);
  expect(kinds.slice(0, 4)).toEqual(['CONS', 'SLICED', 'SEQ', 'SEQ']);
  expect(texts.length).toBeGreaterThan(1000);
  const inOnePiece = ['SEQ', 'INTERNALIZED', 'THIN'];
  expect(texts.filter((_, at) => at >= 4 && !inOnePiece.includes(kinds[at] ?? ''))).toEqual([]);
});
