/** `data:` URLs in base64 without a media type: what the data is, or the file's name says, or else plain text (RFC 2397). */

import { expect, test } from 'vitest';
import { FORMAT_NAMES, type FormatName } from '../../src/conversation/prompt.ts';
import { type JsonObject, parseJson } from '../../src/lib/json.ts';
import { MODELS, startFourCallers } from '../support/four-callers.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

const four = whileTestsRun(() => startFourCallers());

const TEXT = Buffer.from('Hello').toString('base64');
const PNG = `iVBORw0KGgo${'A'.repeat(21)}`;

type Write = (url: string, name: string) => JsonObject;

/** A file or an image in the user's message, as callers of each format write it. */
const WRITTEN: Readonly<Record<FormatName, Readonly<Record<'file' | 'image', Write>>>> = {
  'chat-completions': {
    file: (url, filename) => inMessages({ type: 'file', file: { file_data: url, filename } }),
    image: (url) => inMessages({ type: 'image_url', image_url: { url } }),
  },
  responses: {
    file: (url, filename) => inInput({ type: 'input_file', file_data: url, filename }),
    image: (url) => inInput({ type: 'input_image', image_url: url }),
  },
  messages: {
    file: (url, title) => inMessages({ type: 'document', source: { type: 'url', url }, title }),
    image: (url) => inMessages({ type: 'image', source: { type: 'url', url } }),
  },
  'generate-content': {
    file: (fileUri, displayName) => inContents({ fileData: { fileUri, displayName } }),
    image: (fileUri) => inContents({ fileData: { fileUri } }),
  },
};

function inMessages(part: JsonObject): JsonObject {
  return { messages: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, part] }] };
}

function inInput(part: JsonObject): JsonObject {
  return { input: [{ role: 'user', content: [{ type: 'input_text', text: 'What is it?' }, part] }] };
}

function inContents(part: JsonObject): JsonObject {
  return { contents: [{ role: 'user', parts: [{ text: 'What is it?' }, part] }] };
}

/** How a vendor of each format gets data of a type. */
const SENT: Readonly<Record<FormatName, (type: string, data: string) => JsonObject>> = {
  'chat-completions': (type, data) =>
    type.startsWith('image/')
      ? { image_url: { url: `data:${type};base64,${data}` } }
      : { file: { file_data: `data:${type};base64,${data}` } },
  responses: (type, data) => ({
    [type.startsWith('image/') ? 'image_url' : 'file_data']: `data:${type};base64,${data}`,
  }),
  messages: (type, data) =>
    type === 'text/plain'
      ? { source: { type: 'text', media_type: type, data: 'Hello' } }
      : { source: { type: 'base64', media_type: type, data } },
  'generate-content': (mimeType, data) => ({ inlineData: { mimeType, data } }),
};

const WAYS = FORMAT_NAMES.flatMap((caller) =>
  FORMAT_NAMES.filter((vendor) => vendor !== caller).map((vendor) => [caller, vendor] as const),
);

async function sentPart(caller: FormatName, vendor: FormatName, body: JsonObject): Promise<unknown> {
  four().answers({});
  await four()
    .ask(caller, MODELS[vendor], false, body)
    .catch(() => undefined);
  const { messages, input, contents } = Object(parseJson(`${four().received.at(-1)?.body}`));
  const [{ content, parts }] = messages ?? input ?? contents;
  return (content ?? parts).at(-1);
}

test.each(WAYS)('%s to %s', async (caller, vendor) => {
  const { file, image } = WRITTEN[caller];
  const send = (body: JsonObject) => sentPart(caller, vendor, body);
  const shown = expect.objectContaining(SENT[vendor]('image/png', PNG));
  expect(await send(image(`data:;base64,${PNG}`, ''))).toEqual(shown);
  const named = SENT[vendor];
  expect(await send(file(`data:;base64,${TEXT}`, 'a'))).toMatchObject(named('text/plain', TEXT));
  expect(await send(file('data:;base64,JVBERi0xLjcK', 'a'))).toMatchObject(
    named('application/pdf', 'JVBERi0xLjcK'),
  );
});
