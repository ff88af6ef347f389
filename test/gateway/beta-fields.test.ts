/** What only the vendors' betas and Google's SDK for Python have in a request goes to its own vendor, and to no other. */

import { describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { unreported } from '../../src/formats/format.ts';
import { formats } from '../../src/formats/formats.ts';
import { type Json, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { at } from '../checklist/support.ts';
import { chatCompletion } from '../support/chat-completion.ts';
import { MODELS, startFourCallers } from '../support/four-callers.ts';
import { PERMISSIVE } from '../support/meaning.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

const stage = whileTestsRun(() => startFourCallers());

const ANSWERS: Readonly<Record<FormatName, JsonObject>> = {
  'chat-completions': Object(chatCompletion()),
  responses: { id: 'r', object: 'response', model: 'm', status: 'completed', output: [] },
  messages: { id: 'm', type: 'message', role: 'assistant', content: [], stop_reason: 'end_turn', usage: {} },
  'generate-content': { candidates: [{ content: { parts: [{ text: 'Hi.' }] }, finishReason: 'STOP' }] },
};

async function sentFor(from: FormatName, to: FormatName, request: JsonObject): Promise<Json> {
  stage().answers(ANSWERS[to]);
  await stage().ask(from, MODELS[to], false, request);
  return parseJson(stage().received.at(-1)?.body.toString() ?? '');
}

const pdf = { mimeType: 'application/pdf', data: 'JVBERi0xLjQK' };
const documentMetadata = { startPage: 2, endPage: 3, contentLayers: ['PAGE_TEXT'] };
const spreadsheetMetadata = { visibleCells: 'A1:D10', sheetIndex: 1 };
const audioMetadata = { startOffset: '1s', endOffset: '2s' };
const excerpts = { documentMetadata, spreadsheetMetadata, audioMetadata };
const contents = [
  { role: 'user', parts: [{ text: 'Read.' }, { inlineData: pdf, ...excerpts }] },
  { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
  {
    role: 'user',
    parts: [
      {
        functionResponse: {
          name: 'f',
          response: { output: 'Done.' },
          parts: [{ inlineData: pdf, ...excerpts, mediaProcessing: 'STATIC' }],
        },
      },
    ],
  },
];

const hello = { role: 'user', content: 'Hello?' };
const agent = { agent_name: '/root/a' };
const input = [
  { ...hello, type: 'message', agent },
  { type: 'multi_agent_call', id: 'mac_1', call_id: 'c1', action: 'spawn_agent', arguments: '{}', agent },
  { type: 'multi_agent_call_output', call_id: 'c1', action: 'spawn_agent', output: [], agent },
  { type: 'function_call', call_id: 'c2', name: 'f', arguments: '{}', agent },
  { type: 'function_call_output', call_id: 'c2', output: 'Done.', agent },
];

describe('which pages, cells and seconds Gemini is to read', () => {
  test.each(['chat-completions', 'messages', 'responses'] as const)('not of %s', async (to) => {
    const sent = JSON.stringify(await sentFor('generate-content', to, { contents }));
    expect(sent).toContain(pdf.data);
    expect(sent).not.toMatch(/metadata|startPage|mediaProcessing/i);
  });

  test('in either spelling', async () => {
    const parts = [
      { text: 'Read.' },
      { inline_data: { mime_type: pdf.mimeType, data: pdf.data }, document_metadata: {} },
    ];
    const sent = await sentFor('generate-content', 'messages', { contents: [{ role: 'user', parts }] });
    expect(JSON.stringify(sent)).not.toMatch(/document_?metadata/i);
  });

  test('of Gemini, also in the result of a call', async () => {
    const sent = await sentFor('generate-content', 'generate-content', { contents });
    expect(at(sent, 'contents')).toEqual(contents);
    const { inbound, outbound } = formats['generate-content'];
    const prompt = inbound.parseRequest({ contents }, unreported);
    const target = { ...PERMISSIVE, model: 'gemini-3-flash-preview' };
    const rendered = outbound.renderRequest({ ...prompt, model: target.model }, target, unreported);
    expect(rendered['contents']).toMatchObject(contents);
  });
});

describe("what OpenAI's several agents have said and done", () => {
  const request = { input, multi_agent: { enabled: true, max_concurrent_subagents: 2 } };

  test.each(['chat-completions', 'messages', 'generate-content'] as const)('to %s', async (to) => {
    const sent = JSON.stringify(await sentFor('responses', to, request));
    expect(sent).toContain('Done.');
    expect(sent).not.toMatch(/agent/);
  });

  test('to responses', async () => {
    expect(await sentFor('responses', 'responses', request)).toMatchObject(request);
  });
});
