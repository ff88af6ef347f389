/** The client of Gemini's generateContent format (Gemini API reference, "Generating content"). */

import { budgetOf } from '../thinking.js';
import { EXAMPLE_TOOLS } from './example-tools.js';
import { parseArguments, renderTurns } from './render-turns.js';

/** @import { Thinking, Update, Usage, WireFormat } from '../dialogue.js' */
/** @import { ItemRenderer } from './render-turns.js' */

const NAME = 'generate-content';

/** @type {WireFormat} */
export const generateContent = {
  name: NAME,
  path: ({ model }) =>
    `/v1beta/models/${encodeURIComponent(model.replace(/^google\//i, ''))}:streamGenerateContent?alt=sse`,
  headers: (key) => ({ 'x-goog-api-key': key }),
  body: (turns, { model, thinking, maxTokens, temperature, effort, system, tools }) => ({
    contents: renderTurns(turns, NAME, model, renderer),
    ...(system && { systemInstruction: { parts: [{ text: system }] } }),
    ...(tools && {
      tools: [
        {
          functionDeclarations: EXAMPLE_TOOLS.map(({ parameters, ...tool }) => ({
            ...tool,
            parametersJsonSchema: parameters,
          })),
        },
      ],
    }),
    generationConfig: {
      maxOutputTokens: maxTokens,
      ...(temperature !== undefined && { temperature }),
      ...(effort && { thinkingConfig: { ...renderThinking(thinking, effort), includeThoughts: true } }),
    },
  }),
  reader() {
    /** @type {any[]} */
    const parts = [];
    let calls = 0;
    return {
      read(event) {
        /** @type {Update[]} */
        const updates = [];
        if (event.error) updates.push({ error: event.error.message });
        const candidate = event.candidates?.[0];
        for (const part of candidate?.content?.parts ?? []) {
          parts.push(part);
          if (part.functionCall) {
            const { id, name, args } = part.functionCall;
            updates.push({ call: { id: id ?? `call_${calls}`, name } });
            updates.push({ arguments: JSON.stringify(args ?? {}), at: calls });
            calls += 1;
          } else if (part.text) {
            updates.push(part.thought ? { thinking: part.text } : { text: part.text });
          }
        }
        if (event.promptFeedback?.blockReason) updates.push({ finish: event.promptFeedback.blockReason });
        if (candidate?.finishReason) updates.push({ finish: candidate.finishReason });
        if (event.usageMetadata) updates.push({ usage: parseUsage(event.usageMetadata) });
        return updates;
      },
      kept: () => [{ role: 'model', parts }],
    };
  },
};

/**
 * Gemini 2.5 takes a token budget. Newer Gemini models take a level.
 * @param {Thinking | undefined} thinking
 * @param {string} effort
 */
function renderThinking(thinking, effort) {
  const budget = budgetOf(thinking, effort);
  return budget === undefined ? { thinkingLevel: effort.toUpperCase() } : { thinkingBudget: budget };
}

/** @type {ItemRenderer} */
const renderer = {
  user: (text) => ({ role: 'user', parts: [{ text }] }),
  assistant: ({ text, calls }) => [
    {
      role: 'model',
      parts: [
        ...(text ? [{ text }] : []),
        ...calls.map(({ name, arguments: json }) => ({ functionCall: { name, args: parseArguments(json) } })),
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

/**
 * @param {readonly any[] | undefined} contents
 * @param {string} id
 */
function hasCall(contents = [], id) {
  return contents.some(({ parts }) =>
    parts.some((/** @type {any} */ { functionCall }) => functionCall?.id === id),
  );
}

/**
 * @param {any} usage
 * @returns {Usage}
 */
function parseUsage(usage) {
  return {
    input: (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0),
    cacheRead: usage.cachedContentTokenCount ?? 0,
    cacheWrite: 0,
    output: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
  };
}
