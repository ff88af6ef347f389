/** The AI SDK's providers for all four formats, and the models that each reaches. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { generateText, LanguageModel } from 'ai';
import { KEY } from '../support/gateway.ts';
import { SUBJECTS, type Subject } from './support.ts';

type ProviderOptions = NonNullable<Parameters<typeof generateText>[0]['providerOptions']>;

export interface Client {
  readonly name: string;
  open(url: string, model: string, key?: string): LanguageModel;
  /** How reasoning is requested from a model. */
  thinking(subject: Subject): ProviderOptions;
  /** The models whose thoughts it shows. */
  readonly shows: RegExp;
}

export const CLIENTS: readonly Client[] = [
  {
    name: '@ai-sdk/openai chat',
    open: (url, model, apiKey = KEY) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).chat(model),
    thinking: () => ({ openai: { reasoningEffort: 'medium', forceReasoning: true } }),
    shows: /^(?!)/,
  },
  {
    name: '@ai-sdk/openai responses',
    open: (url, model, apiKey = KEY) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).responses(model),
    thinking: () => ({
      openai: {
        reasoningEffort: 'medium',
        reasoningSummary: 'auto',
        forceReasoning: true,
        store: false,
        include: ['reasoning.encrypted_content'],
      },
    }),
    shows: /./,
  },
  {
    name: '@ai-sdk/anthropic',
    open: (url, model, apiKey = KEY) => createAnthropic({ baseURL: `${url}/v1`, apiKey })(model),
    thinking: ({ model }) => ({
      anthropic: model.includes('opus-4-8')
        ? { thinking: { type: 'adaptive', display: 'summarized' }, effort: 'medium' }
        : { thinking: { type: 'enabled', budgetTokens: 2048 } },
    }),
    shows: /./,
  },
  {
    name: '@ai-sdk/openai-compatible',
    open: (url, model, apiKey = KEY) =>
      createOpenAICompatible({
        name: 'gateway',
        baseURL: `${url}/v1`,
        apiKey,
        includeUsage: true,
        supportsStructuredOutputs: true,
      }).chatModel(model),
    thinking: () => ({ gateway: { reasoningEffort: 'medium' } }),
    shows: /^(?!openai)/,
  },
  {
    name: '@ai-sdk/google',
    open: (url, model, apiKey = KEY) =>
      createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey })(model.replace('google/', '')),
    thinking: ({ model }) => ({
      google: {
        thinkingConfig: model.includes('gemini-3')
          ? { includeThoughts: true, thinkingLevel: 'medium' }
          : { includeThoughts: true, thinkingBudget: 2048 },
      },
    }),
    shows: /./,
  },
];

/** Every client with the models it reaches: Google's format reaches Google's models only. */
export const PAIRS = CLIENTS.flatMap((client) =>
  SUBJECTS.filter(({ model }) => client.name !== '@ai-sdk/google' || model.startsWith('google/')).map(
    (subject) => ({ client, subject, pair: `${client.name} with ${subject.model}` }),
  ),
);
