/**
 * How services that speak chat-completions differ in what they take. Data: one row a service, told apart from a base
 * by the fields it names. `''` is the plain format as OpenAI writes it, with the ecosystem's additional fields, and
 * loses nothing; a name without a row is a service nobody here knows, and gets only what all of them take.
 */

/** How a model is told to think. */
export type ThinkingField =
  /** `reasoning_effort: "low"`, OpenAI's. */
  | 'reasoning_effort'
  /** `reasoning: {effort | max_tokens | enabled, exclude}`, OpenRouter's. */
  | 'reasoning'
  /** `thinking: {type: "enabled" | "disabled"}`, DeepSeek's, Z.ai's and Moonshot's. */
  | 'thinking'
  /** `enable_thinking`, `thinking_budget`, Alibaba's. */
  | 'enable_thinking';

/** How thoughts of earlier turns go back. */
export type ThoughtsField =
  | 'none'
  | 'reasoning_content'
  /** Only since the user last spoke: DeepSeek wants them within a tool loop and refuses or ignores older ones. */
  | 'reasoning_content-in-loop'
  | 'reasoning'
  | 'reasoning_details'
  /** In the content list, as Mistral does. */
  | 'content';

export interface Dialect {
  readonly maxTokens: 'max_tokens' | 'max_completion_tokens';
  readonly thinking: ThinkingField;
  readonly thoughts: ThoughtsField;
  /** Whether signatures go along: `thinking_blocks` (LiteLLM) and `extra_content` (Google). */
  readonly signatures: 'all' | 'google' | 'none';
  /** Whether `xhigh`, `max`, `minimal` and `none` are words of the service, where its model's are not known. */
  readonly allEfforts: boolean;
  /** A model without thinking traits in the catalog cannot think (true), or nobody knows (false). */
  readonly knownToThink: boolean;
  readonly developer: boolean;
  readonly customTools: boolean;
  readonly allowedTools: boolean;
  readonly required: 'required' | 'any';
  readonly webSearch: boolean;
  /** Whether tool messages may hold images and files. */
  readonly toolMedia: boolean;
  /** Whether texts go as a list of parts where there are several; else they are joined. */
  readonly textLists: boolean;
  readonly cacheControl: boolean;
  readonly topK: boolean;
  readonly seed: 'seed' | 'random_seed';
  /** Whether a stream tells usage only if asked by `stream_options`. */
  readonly streamOptions: boolean;
  readonly serviceTier: boolean;
  readonly metadata: boolean;
  /** Whether models that take no sampling parameters take no `stop` either. */
  readonly stopIsSampling: boolean;
  /** Whether `json_object` needs the word JSON in some message. */
  readonly jsonWord: boolean;
  /** Rules for ids of calls: any, at most 40 characters, or nine letters and digits. */
  readonly callIds: 'any' | 'forty' | 'nine';
  /** Rules for names of tools: any, or 64 of `A-Za-z0-9_-`. */
  readonly names: 'any' | 'strict';
}

const PLAIN: Dialect = {
  maxTokens: 'max_tokens',
  thinking: 'reasoning_effort',
  thoughts: 'reasoning_content',
  signatures: 'all',
  allEfforts: true,
  knownToThink: false,
  developer: true,
  customTools: true,
  allowedTools: true,
  required: 'required',
  webSearch: true,
  toolMedia: true,
  textLists: true,
  cacheControl: false,
  topK: true,
  seed: 'seed',
  streamOptions: true,
  serviceTier: true,
  metadata: true,
  stopIsSampling: false,
  jsonWord: false,
  callIds: 'any',
  names: 'any',
};

/** What every service takes. */
const COMPATIBLE: Dialect = {
  ...PLAIN,
  signatures: 'none',
  allEfforts: false,
  developer: false,
  customTools: false,
  allowedTools: false,
  webSearch: false,
  toolMedia: false,
  textLists: false,
  topK: false,
  serviceTier: false,
  metadata: false,
  names: 'strict',
};

const OPENAI: Dialect = {
  ...PLAIN,
  maxTokens: 'max_completion_tokens',
  thoughts: 'none',
  signatures: 'none',
  knownToThink: true,
  // web_search_options is for the search models alone; everywhere else it is a 400.
  webSearch: false,
  toolMedia: false,
  topK: false,
  stopIsSampling: true,
  jsonWord: true,
  callIds: 'forty',
  names: 'strict',
};

/** Routers in front of many vendors: they take the union, and reasoning_details for every kind of signature. */
const ROUTER: Dialect = {
  ...COMPATIBLE,
  thinking: 'reasoning',
  thoughts: 'reasoning_details',
  allEfforts: true,
  cacheControl: true,
  textLists: true,
  webSearch: true,
  topK: true,
};

const DIALECTS: Readonly<Record<string, Dialect>> = {
  '': PLAIN,
  openai: OPENAI,
  azure: OPENAI,
  alibaba: { ...COMPATIBLE, thinking: 'enable_thinking', topK: true, cacheControl: true },
  deepseek: { ...COMPATIBLE, thinking: 'thinking', thoughts: 'reasoning_content-in-loop', jsonWord: true },
  fireworks: { ...COMPATIBLE, topK: true },
  google: { ...COMPATIBLE, thoughts: 'none', signatures: 'google' },
  groq: { ...COMPATIBLE, thoughts: 'reasoning', serviceTier: true },
  litellm: { ...COMPATIBLE, signatures: 'all', allEfforts: true, cacheControl: true, textLists: true, topK: true },
  mistral: {
    ...COMPATIBLE,
    thoughts: 'content',
    required: 'any',
    seed: 'random_seed',
    // Mistral always tells usage, and refuses fields it does not know.
    streamOptions: false,
    callIds: 'nine',
  },
  moonshot: { ...COMPATIBLE, thinking: 'thinking' },
  ollama: { ...COMPATIBLE, thoughts: 'reasoning' },
  openrouter: ROUTER,
  perplexity: { ...COMPATIBLE, thoughts: 'none', webSearch: true, topK: true },
  together: { ...COMPATIBLE, thoughts: 'reasoning', topK: true },
  vercel: ROUTER,
  vllm: { ...COMPATIBLE, topK: true, developer: true },
  xai: { ...COMPATIBLE, stopIsSampling: true },
  zai: { ...COMPATIBLE, thinking: 'thinking' },
};

/** The dialect of a name; a service without a row gets what every service takes. */
export function dialectOf(name: string): Dialect {
  return (Object.hasOwn(DIALECTS, name) && DIALECTS[name]) || COMPATIBLE;
}

/** The names with a row of their own, for those who check a catalog. */
export const dialectNames: readonly string[] = Object.keys(DIALECTS);
