/** Media types as callers spell them: each vendor gets the one that it knows. */

import { expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { type JsonObject, parseJson } from '../../src/lib/json.ts';
import { MODELS, startFourCallers } from '../support/four-callers.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

const four = whileTestsRun(() => startFourCallers());

const SOUND = 'UklGRiQAAABXQVZFZm10IBA=';
const PDF = 'JVBERi0xLjcK';
const PNG = `iVBORw0KGgo${'A'.repeat(21)}`;

/** The part that a vendor gets for one of a caller. */
async function sentFor(caller: FormatName, vendor: FormatName, part: JsonObject): Promise<unknown> {
  four().answers({});
  await four()
    .ask(caller, MODELS[vendor], false, BODIES[caller](part))
    .catch(() => undefined);
  const { messages, input, contents } = Object(parseJson(`${four().received.at(-1)?.body}`));
  const [{ content, parts }] = messages ?? input ?? contents;
  return (content ?? parts).at(-1);
}

const BODIES: Readonly<Record<FormatName, (part: JsonObject) => JsonObject>> = {
  'chat-completions': (part) => ({
    messages: [{ role: 'user', content: [{ type: 'text', text: '?' }, part] }],
  }),
  responses: (part) => ({ input: [{ role: 'user', content: [{ type: 'input_text', text: '?' }, part] }] }),
  messages: (part) => ({ messages: [{ role: 'user', content: [{ type: 'text', text: '?' }, part] }] }),
  'generate-content': (part) => ({ contents: [{ role: 'user', parts: [{ text: '?' }, part] }] }),
};

const heard = (format: string): JsonObject => ({ type: 'input_audio', input_audio: { data: SOUND, format } });
const inline = (mimeType: string, data: string): JsonObject => ({ inlineData: { mimeType, data } });
const url = (type: string, data: string): string => `data:${type};base64,${data}`;

test.each([
  ['audio/wav', 'audio/wav'],
  ['audio/mpeg', 'audio/mpeg'],
  ['.wav', 'audio/wav'],
  ['WAV', 'audio/wav'],
  ['x-wav', 'audio/wav'],
  ['', 'audio/wav'],
])('Gemini gets a sound in the format "%s" as %s', async (format, mimeType) => {
  for (const caller of ['chat-completions', 'responses'] as const)
    expect(await sentFor(caller, 'generate-content', heard(format))).toEqual(inline(mimeType, SOUND));
});

test.each([
  ['audio/wav', 'wav'],
  ['AUDIO/WAV', 'wav'],
  ['audio/vnd.wave', 'wav'],
  ['audio/x-mp3', 'mp3'],
  ['audio/mpeg', 'mp3'],
  ['audio/x-flac', 'flac'],
  ['audio/ogg; codecs=opus', 'ogg'],
])('chat-completions gets a sound of the type %s as %s', async (mimeType, format) => {
  expect(await sentFor('generate-content', 'chat-completions', inline(mimeType, SOUND))).toEqual(
    heard(format),
  );
});

test('an image whose type is in capitals is an image', async () => {
  expect(await sentFor('generate-content', 'messages', inline('IMAGE/PNG', PNG))).toEqual({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: PNG },
  });
});

/** Files and images of a type that says nothing, as callers of each format write them. */
const UNTYPED: readonly [caller: FormatName, file: JsonObject, image?: JsonObject][] = [
  [
    'chat-completions',
    { type: 'file', file: { filename: 'a.pdf', file_data: url('application/octet-stream', PDF) } },
    { type: 'image_url', image_url: { url: url('application/octet-stream', PNG) } },
  ],
  [
    'responses',
    { type: 'input_file', filename: 'a.pdf', file_data: url('application/octet-stream', PDF) },
    { type: 'input_image', image_url: url('application/octet-stream', PNG) },
  ],
  [
    'messages',
    { type: 'document', source: { type: 'base64', media_type: 'application/octet-stream', data: PDF } },
  ],
  ['generate-content', inline('application/octet-stream', PDF)],
];

test.each(UNTYPED)('an octet-stream of %s goes to OpenAI as what it is', async (caller, file, image) => {
  const others = (['chat-completions', 'responses'] as const).filter((vendor) => vendor !== caller);
  for (const vendor of others) {
    expect(JSON.stringify(await sentFor(caller, vendor, file))).toContain(`"${url('application/pdf', PDF)}"`);
    if (image === undefined) continue;
    expect(JSON.stringify(await sentFor(caller, vendor, image))).toContain(`"${url('image/png', PNG)}"`);
  }
});

test('of data that nobody knows, the name of the file says the type', async () => {
  const file_data = url('application/octet-stream', 'AAAA');
  const file = { type: 'file', file: { filename: 'a.docx', file_data } };
  expect(JSON.stringify(await sentFor('chat-completions', 'responses', file))).toContain('wordprocessingml');
  const unknown = { type: 'file', file: { filename: 'a.unknown', file_data } };
  expect(JSON.stringify(await sentFor('chat-completions', 'responses', unknown))).toContain(`"${file_data}"`);
});

test('Gemini gets the type of an address from the name of the file', async () => {
  const fileUri = 'https://files.example/download?id=1';
  const file = { type: 'input_file', filename: 'a.pdf', file_url: fileUri };
  expect(await sentFor('responses', 'generate-content', file)).toEqual({
    fileData: { mimeType: 'application/pdf', fileUri },
  });
});
