/** The client of Gemini's generateContent format (Gemini API reference, "Generating content"). */

import type { Attachment, Reader, Thinking, Update, Usage, WireFormat } from './dialogue.ts';
import { at, listAt, numberAt, parseObject, textAt } from './json.ts';
import { type ItemRenderer, readText, renderTurns } from './render-turns.ts';
import { chooseBudget } from './thinking.ts';

const NAME = 'generate-content';

export const generateContent: WireFormat = {
  name: NAME,
  path: (model) =>
    `/v1beta/models/${encodeURIComponent(model.replace(/^google\//i, ''))}:streamGenerateContent?alt=sse`,
  headers: (key) => ({ 'x-goog-api-key': key }),
  body: (turns, { model, thinking, maxTokens, temperature, effort, system, tools, schema }) => ({
    contents: renderTurns(turns, NAME, model, renderer),
    ...(system && { systemInstruction: { parts: [{ text: system }] } }),
    ...(tools.length > 0 && {
      tools: [
        {
          functionDeclarations: tools.map(({ parameters, ...tool }) => ({
            ...tool,
            parametersJsonSchema: parameters,
          })),
        },
      ],
    }),
    generationConfig: {
      maxOutputTokens: maxTokens,
      ...(temperature !== undefined && { temperature }),
      ...(schema && { responseMimeType: 'application/json', responseJsonSchema: schema }),
      ...(effort && { thinkingConfig: { ...renderThinking(thinking, effort), includeThoughts: true } }),
    },
  }),
  reader,
};

function reader(): Reader {
  const parts: unknown[] = [];
  let calls = 0;
  return {
    read(event) {
      const error = at(event, 'error');
      const candidate = at(event, 'candidates', 0);
      const received = listAt(candidate, 'content', 'parts');
      parts.push(...received);
      const blocked = textAt(event, 'promptFeedback', 'blockReason');
      const finish = textAt(candidate, 'finishReason');
      const usage = at(event, 'usageMetadata');
      return [
        ...(error ? [{ error: textAt(error, 'message') || JSON.stringify(error) }] : []),
        ...received.flatMap((part) => (at(part, 'functionCall') ? readCall(part, calls++) : readPart(part))),
        ...listAt(candidate, 'groundingMetadata', 'groundingChunks').flatMap(readCitation),
        ...(blocked ? [{ finish: blocked }] : []),
        ...(finish ? [{ finish }] : []),
        ...(usage ? [{ usage: parseUsage(usage) }] : []),
      ];
    },
    kept: () => [{ role: 'model', parts }],
  };
}

/** @param place of the call among all. */
function readCall(part: unknown, place: number): readonly Update[] {
  const call = at(part, 'functionCall');
  return [
    { call: { id: textAt(call, 'id') || `call_${place}`, name: textAt(call, 'name') } },
    { arguments: JSON.stringify(at(call, 'args') ?? {}), at: place },
  ];
}

function readPart(part: unknown): readonly Update[] {
  const image = at(part, 'inlineData');
  if (image) return [{ image: { type: textAt(image, 'mimeType'), data: textAt(image, 'data') } }];
  const text = textAt(part, 'text');
  if (!text) return [];
  return [at(part, 'thought') === true ? { thinking: text } : { text }];
}

function readCitation(chunk: unknown): readonly Update[] {
  const web = at(chunk, 'web');
  return web ? [{ citation: { url: textAt(web, 'uri'), title: textAt(web, 'title') } }] : [];
}

/** Gemini 2.5 takes a token budget. Newer Gemini models take a level. */
function renderThinking(thinking: Thinking | undefined, effort: string): object {
  const budget = chooseBudget(thinking, effort);
  return budget === undefined ? { thinkingLevel: effort.toUpperCase() } : { thinkingBudget: budget };
}

const renderer: ItemRenderer = {
  user: ({ text, attachments }) => ({
    role: 'user',
    parts: [...attachments.map(renderAttachment), ...(text || attachments.length === 0 ? [{ text }] : [])],
  }),
  assistant: ({ text, calls }) => [
    {
      role: 'model',
      parts: [
        ...(text ? [{ text }] : []),
        ...calls.map(({ name, arguments: json }) => ({ functionCall: { name, args: parseObject(json) } })),
      ],
    },
  ],
  // A result names its call by an id only if the call that goes back has that id too.
  results: (calls, kept) => [
    {
      role: 'user',
      parts: calls.map(({ id, name, result }) => ({
        functionResponse: {
          name,
          response: { result: result ?? '' },
          ...(hasCall(kept, id) && { id }),
        },
      })),
    },
  ],
};

function renderAttachment(file: Attachment): unknown {
  const text = readText(file);
  return text === undefined ? { inlineData: { mimeType: file.type, data: file.data } } : { text };
}

function hasCall(contents: readonly unknown[] | undefined, id: string): boolean {
  return (contents ?? []).some((content) =>
    listAt(content, 'parts').some((part) => textAt(part, 'functionCall', 'id') === id),
  );
}

function parseUsage(usage: unknown): Usage {
  return {
    input: numberAt(usage, 'promptTokenCount') + numberAt(usage, 'toolUsePromptTokenCount'),
    cacheRead: numberAt(usage, 'cachedContentTokenCount'),
    cacheWrite: 0,
    output: numberAt(usage, 'candidatesTokenCount') + numberAt(usage, 'thoughtsTokenCount'),
  };
}
