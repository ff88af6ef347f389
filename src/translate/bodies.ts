/**
 * The bodies of requests and answers, by format. Their types are those of the vendors' own SDKs where these are
 * installed. An import of one that is not installed is `any`, which `Installed` replaces; only types are imported, so
 * nothing is missing when the program runs.
 */

/* biome-ignore-start lint/suspicious/noTsIgnore: an error is expected only where an SDK is not installed */
// @ts-ignore
import type * as Anthropic from '@anthropic-ai/sdk/resources/messages';
// @ts-ignore
import type * as Google from '@google/genai';
// @ts-ignore
import type * as Chat from 'openai/resources/chat/completions';
// @ts-ignore
import type * as OpenAI from 'openai/resources/responses/responses';

/* biome-ignore-end lint/suspicious/noTsIgnore: see above */

/** A body whose SDK is not installed. */
export type Untyped = Record<string, unknown>;

/** A type of an SDK; without the SDK it is `any`, and `Untyped` takes its place. */
type Installed<T> = IfInstalled<T, T>;

/** `Body`, if the SDK that has the type `T` is installed. */
type IfInstalled<T, Body> = 0 extends 1 & T ? Untyped : Body;

/** The body of Google's REST API, which its SDK has under other names. */
interface GoogleRequest {
  contents: Google.Content[];
  systemInstruction?: Google.Content;
  tools?: Google.Tool[];
  toolConfig?: Google.ToolConfig;
  safetySettings?: Google.SafetySetting[];
  generationConfig?: Google.GenerationConfig;
  cachedContent?: string;
}

/** The answer as Google's REST API writes it; the SDK's class has getters besides. */
type GoogleAnswer = Pick<
  Google.GenerateContentResponse,
  'candidates' | 'promptFeedback' | 'usageMetadata' | 'modelVersion' | 'responseId'
>;

/** The body of a request in each format. */
export interface RequestBodies {
  'chat-completions': Installed<Chat.ChatCompletionCreateParams>;
  responses: Installed<OpenAI.ResponseCreateParams>;
  messages: Installed<Anthropic.MessageCreateParams>;
  'generate-content': IfInstalled<Google.Content, GoogleRequest>;
}

/** The body of a whole answer in each format. */
export interface AnswerBodies {
  'chat-completions': Installed<Chat.ChatCompletion>;
  responses: Installed<OpenAI.Response>;
  messages: Installed<Anthropic.Message>;
  'generate-content': IfInstalled<Google.Content, GoogleAnswer>;
}
