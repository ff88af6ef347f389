import { EXAMPLE_TOOLS, keptFor, parseArguments } from '../dialogue.js';
import { budgetOf } from '../thinking.js';

/** @import { Thinking, Turn, Update, WireFormat } from '../dialogue.js' */

/** @type {WireFormat} */
export const generateContent = {
  name: 'generate-content',
  path: ({ model }) =>
    `/v1beta/models/${encodeURIComponent(model.replace(/^google\//i, ''))}:streamGenerateContent?alt=sse`,
  headers: (key) => ({ 'x-goog-api-key': key }),
  body: (turns, { model, thinking, maxTokens, temperature, effort, system, tools }) => ({
    contents: turns.flatMap((turn) => contentsOf(turn, model)),
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
      ...(effort && { thinkingConfig: { ...thinkingOf(thinking, effort), includeThoughts: true } }),
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
        if (event.usageMetadata) updates.push({ usage: usageOf(event.usageMetadata) });
        return updates;
      },
      kept: () => ({ role: 'model', parts }),
    };
  },
};

/**
 * The newer Gemini models are told a level, 2.5 a number of tokens.
 * @param {Thinking | undefined} thinking
 * @param {string} effort
 */
function thinkingOf(thinking, effort) {
  const budget = budgetOf(thinking, effort);
  return budget === undefined ? { thinkingLevel: effort.toUpperCase() } : { thinkingBudget: budget };
}

/**
 * @param {Turn} turn
 * @param {string} model
 */
function contentsOf(turn, model) {
  if (turn.role === 'user') return [{ role: 'user', parts: [{ text: turn.text }] }];
  const text = turn.text ? [{ text: turn.text }] : [];
  const calls = turn.calls.map(({ name, arguments: args }) => ({
    functionCall: { name, args: parseArguments(args) },
  }));
  const kept = keptFor(turn, 'generate-content', model);
  const results = turn.calls.map(({ id, name, result }) => ({
    functionResponse: {
      name,
      response: { result: result ?? '' },
      ...(kept?.parts.some((/** @type {any} */ part) => part.functionCall?.id === id) && { id }),
    },
  }));
  return [
    kept ?? { role: 'model', parts: [...text, ...calls] },
    ...(results.length > 0 ? [{ role: 'user', parts: results }] : []),
  ];
}

/** @param {any} usage */
function usageOf(usage) {
  return {
    input: (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0),
    cacheRead: usage.cachedContentTokenCount ?? 0,
    cacheWrite: 0,
    output: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
  };
}
