/** The names that other gateways have for vendors, and what a vendor is called here. */

export interface Provider {
  /** The name of the vendor, with which the ids of its models begin. */
  readonly vendor: string;
  /** Its address, if this gateway does not know it. */
  readonly baseUrl?: string;
  /** A key for a server that needs none. */
  readonly key?: string;
}

const openai: Provider = { vendor: 'openai' };
const google: Provider = { vendor: 'google' };
const ollama: Provider = { vendor: 'ollama', baseUrl: 'http://localhost:11434/v1', key: 'none' };
const together: Provider = { vendor: 'together', baseUrl: 'https://api.together.xyz/v1' };
const fireworks: Provider = { vendor: 'fireworks', baseUrl: 'https://api.fireworks.ai/inference/v1' };
const mistral: Provider = { vendor: 'mistralai' };
const perplexity: Provider = { vendor: 'perplexity' };
const vllm: Provider = { vendor: 'vllm', key: 'none' };

/** By their names at LiteLLM, Portkey and Bifrost. Addresses are those of the vendors' documents. */
const PROVIDERS: ReadonlyMap<string, Provider> = new Map([
  ['openai', openai],
  ['text-completion-openai', openai],
  ['anthropic', { vendor: 'anthropic' }],
  ['gemini', google],
  ['google', google],
  ['mistral', mistral],
  ['mistral-ai', mistral],
  ['deepseek', { vendor: 'deepseek' }],
  ['xai', { vendor: 'x-ai' }],
  ['x-ai', { vendor: 'x-ai' }],
  ['zai', { vendor: 'z-ai' }],
  ['dashscope', { vendor: 'qwen' }],
  ['moonshot', { vendor: 'moonshotai' }],
  ['minimax', { vendor: 'minimax' }],
  ['perplexity', perplexity],
  ['perplexity-ai', perplexity],
  ['cohere', { vendor: 'cohere' }],
  ['cohere_chat', { vendor: 'cohere' }],
  ['openrouter', { vendor: 'compatible', baseUrl: 'https://openrouter.ai/api/v1' }],
  ['groq', { vendor: 'groq', baseUrl: 'https://api.groq.com/openai/v1' }],
  ['cerebras', { vendor: 'cerebras', baseUrl: 'https://api.cerebras.ai/v1' }],
  ['together_ai', together],
  ['together-ai', together],
  ['fireworks_ai', fireworks],
  ['fireworks-ai', fireworks],
  ['ollama', ollama],
  ['ollama_chat', ollama],
  ['hosted_vllm', vllm],
  ['vllm', vllm],
  ['lm_studio', { vendor: 'lmstudio', baseUrl: 'http://localhost:1234/v1', key: 'none' }],
]);

/** Clouds, whose addresses and credentials are set by hand: what other gateways write of them says too little. */
const CLOUDS = /^(?:azure(?:[-_]ai|[-_]openai)?|bedrock|sagemaker|vertex(?:[-_]ai)?)$/;

export function findProvider(name: string): Provider | undefined {
  return PROVIDERS.get(name.toLowerCase());
}

export function isCloud(name: string): boolean {
  return CLOUDS.test(name.toLowerCase());
}

/**
 * The provider that a name such as `@openai-prod` or `anthropic-virtual-key` begins with: Portkey keeps what stands
 * behind such a name to itself.
 */
export function guessProvider(name: string): string | undefined {
  const bare = name.toLowerCase().replace(/^@/, '');
  return [...PROVIDERS.keys()]
    .toSorted((a, b) => b.length - a.length)
    .find((known) => bare === known || bare.startsWith(`${known}-`));
}
