/**
 * New features of AI SDK 7: one setting for reasoning effort, chats as UI messages, approvals, tool search.
 */

import {
  convertToModelMessages,
  generateText,
  isStepCount,
  type LanguageModel,
  type ModelMessage,
  readUIMessageStream,
  streamText,
  ToolLoopAgent,
  tool,
  toolSearch,
  toUIMessageStream,
  type UIMessage,
} from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { PAIRS } from './ai-sdk-clients.ts';
import { PNG, useGateway } from './support.ts';

const gateway = useGateway();

const tools = {
  get_weather: tool({
    description: 'The weather in a city',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => ({ city, sky: `clear over ${city}` }),
  }),
};

/**
 * Nothing is stored, and the model is declared a reasoning model, since its name does not tell the responses
 * provider.
 */
const options = (thinks: boolean) => ({ openai: { store: false, forceReasoning: thinks } });

/** The SDK's warnings, except that it does not know a model's limit. */
const lost = (steps: readonly { readonly warnings?: readonly object[] | undefined }[]) =>
  steps.flatMap(({ warnings = [] }) => warnings.filter((warning) => !('feature' in warning)));

describe.each(PAIRS)('$pair', ({ client, subject }) => {
  const open = (): LanguageModel => client.open(gateway().url, subject.model);
  const thinking = { ...(subject.thinks && { reasoning: 'medium' as const }), maxRetries: 0 };
  const providerOptions = options(subject.thinks);

  test('a chat of UI messages continues, with files, calls and thoughts', async () => {
    const messages: UIMessage[] = [];
    for (const [at, city] of ['Oslo', 'Rome', 'Bonn'].entries()) {
      const picture = { type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${PNG}` } as const;
      const asks = { type: 'text', text: `Call get_weather for ${city}.` } as const;
      messages.push({ id: `user-${at}`, role: 'user', parts: at === 0 ? [picture, asks] : [asks] });
      const { stream, steps } = streamText({
        model: open(),
        messages: await convertToModelMessages(messages),
        tools,
        stopWhen: isStepCount(3),
        ...thinking,
        providerOptions,
      });
      let answer: UIMessage | undefined;
      for await (const message of readUIMessageStream({ stream: toUIMessageStream({ stream }) }))
        answer = message;
      const said = answer?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
      expect(said).toContain(`clear over ${city}`);
      expect(lost(await steps)).toEqual([]);
      // As a browser sends it back.
      if (answer) messages.push({ ...JSON.parse(JSON.stringify(answer)), id: `assistant-${at}` });
    }
  });

  test('whole and streamed answers have the same parts', async () => {
    const asked = {
      model: open(),
      prompt: 'Call get_weather for Oslo.',
      tools,
      ...thinking,
      providerOptions,
    };
    const whole = await generateText(asked);
    const streamed = await streamText(asked).content;
    // A stream of messages has an extra part for its beginning, and the last chunk of other vendors'
    // chat-completions has an empty text.
    const kinds = (content: readonly { type: string; text?: string }[]) =>
      content
        .filter(({ type, text }) => type !== 'custom' && (type !== 'text' || text !== ''))
        .map(({ type }) => type);
    expect(kinds(streamed)).toEqual(kinds(whole.content));
  });

  test.each([true, false])('a call waits for approval: %s', async (approved) => {
    const asked = {
      model: open(),
      tools: {
        remove: tool({
          description: 'Removes a file',
          inputSchema: z.object({ path: z.string() }),
          execute: async ({ path }) => `removed ${path}`,
          needsApproval: true,
        }),
      },
      stopWhen: isStepCount(3),
      ...thinking,
      providerOptions,
    };
    const prompt: ModelMessage = { role: 'user', content: 'Call remove for "x.txt".' };
    const first = await generateText({ ...asked, messages: [prompt] });
    const asks = first.content.find((part) => part.type === 'tool-approval-request');
    if (asks === undefined) throw new Error('It did not ask.');
    const answer = { type: 'tool-approval-response', approvalId: asks.approvalId, approved } as const;
    const messages: ModelMessage[] = [
      prompt,
      ...first.responseMessages,
      { role: 'tool', content: [approved ? answer : { ...answer, reason: 'not today' }] },
    ];
    expect((await generateText({ ...asked, messages })).text).toContain(
      approved ? 'removed x.txt' : 'not today',
    );
    expect(await streamText({ ...asked, messages }).text).toContain(approved ? 'removed x.txt' : 'not today');
  });

  test('an agent finds a tool and calls it', async () => {
    const agent = new ToolLoopAgent({
      model: open(),
      tools: { find: toolSearch(), get_weather: { ...tools.get_weather, deferLoading: true } },
      ...thinking,
      providerOptions,
    });
    const { steps } = await agent.generate({
      prompt: 'Call find for "weather", then call get_weather for Oslo.',
    });
    expect(steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName))).toEqual([
      'find',
      'get_weather',
    ]);
  });
});
