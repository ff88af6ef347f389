/**
 * What a vendor's refusal means, where only its words tell: services have no status and no code for it, or give it one that
 * says something else. Services word each meaning in many ways.
 */

import type { GatewayError } from '../lib/errors.ts';
import { MAX_FOREIGN } from '../lib/foreign-text.ts';
import { wordSet } from '../lib/words.ts';

/** Whether the vendor refuses the request with one of these words. @param words in lower case */
function refusesInWords({ fault, message }: GatewayError, words: readonly string[]): boolean {
  if (fault !== 'invalid-request') return false;
  const lower = message.toLowerCase();
  return words.some((each) => lower.includes(each));
}

/** The codes of OpenAI, Azure and Alibaba for a refusal of what a prompt or an answer says. */
const CONTENT_CODES: ReadonlySet<string | undefined> = new Set([
  'content_policy_violation',
  'invalid_prompt',
  'cyber_policy',
  'bio_policy',
  'misalignment_policy_violation',
  'content_filter',
  'data_inspection_failed',
]);

/** The words of Anthropic, OpenAI (two), Azure, xAI, DeepSeek, Alibaba and OpenRouter for it. */
const CONTENT_WORDS = [
  'content filtering policy',
  'violating our usage policy',
  'as a result of our safety system',
  'content management policy',
  'content violates usage guidelines',
  'content exists risk',
  'may contain inappropriate content',
  'your input was flagged',
];

/**
 * Whether a vendor refuses what is said. Clients then ask another model, or count the answer as refused. The pipeline is
 * less strict: it looks for another model on the subject alone.
 */
export function saysContentIsRefused(error: GatewayError): boolean {
  return (
    (error.fault === 'invalid-request' && CONTENT_CODES.has(error.code)) ||
    refusesInWords(error, CONTENT_WORDS)
  );
}

/** The words of OpenAI (two sentences), Google (two), Anthropic (three), Z.ai and Cloudflare. */
const UNREADABLE = [
  'image data you provided does not represent a valid image',
  'expected a base64-encoded data url with an image mime type',
  'unable to process input image',
  'provided image is not valid',
  'could not process image',
  'image does not match the provided media type',
  'image cannot be empty',
  '图片输入格式/解析错误',
  'invalid data for image',
];

/** Whether a vendor's refusal says that it cannot read an image. Agents then take it out of the dialogue, and go on. */
export function saysImageIsUnreadable(error: GatewayError): boolean {
  return refusesInWords(error, UNREADABLE);
}

/**
 * Agents shorten their dialogue only after this error. After the general sentences come those of Bedrock and Groq, and
 * then of Moonshot, Alibaba, Z.ai, GitHub, SiliconFlow, Bedrock (for OpenAI's models), Cohere, Perplexity,
 * text-generation-inference, SGLang, vLLM, Volcengine, Anthropic, Google (two) and Vertex AI.
 */
const TOO_LONG = new RegExp(
  [
    'context.?(length|window|size)',
    '(prompt|input) (is )?too long',
    'too many tokens',
    'maximum (allowed )?(input|prompt) length',
    'reduce the length of the (messages|prompt|input)',
    'model token limit',
    'range of input length',
    'prompt exceeds max length',
    'tokens in request more than max tokens allowed',
    'prompt token count of \\d+ exceeds',
    'exceeded max_prompt_tokens',
    'length of prompt_tokens \\(\\d+\\) must be less',
    'prompt tokens \\(\\d+\\) exceed',
    "total tokens exceeds? the model's max",
    'length of all messages is too long',
    '`inputs` (tokens \\+ `max_new_tokens` must be|must have less than \\d+ tokens)',
    'input length \\(\\d+ tokens\\) exceeds',
    'longer than the maximum model length',
    'exceed max message tokens',
    'exceed(s|ed)? (the )?context limit',
    'token count.{0,200}?exceeds the maximum',
    'exceeds the maximum number of tokens',
    'token count is \\d{1,12} but .{0,100}?supports up to',
  ].join('|'),
  'i',
);

/** Refusals of a field, whose name the caller wrote: OpenAI's (two), Google's and Anthropic's. */
const OF_A_FIELD =
  /^(?:unknown parameter|unrecognized request argument|invalid json payload)|: extra inputs are not permitted$/i;

/** Whether a vendor's message says that the prompt is too long for the model. */
export function saysPromptIsTooLong(message: string): boolean {
  return TOO_LONG.test(message) && !OF_A_FIELD.test(message);
}

/** The words of Groq, Mistral, OpenAI, GitHub and Hugging Face for a missing model, as the code or the type of the error. */
const MODEL_CODES: ReadonlySet<string | undefined> = wordSet(
  'model_decommissioned invalid_model model_not_found unknown_model model_not_supported',
);

/**
 * The words of DeepSeek (before and since version 4), xAI, SiliconFlow, GitHub and Z.ai, MiniMax, Z.ai's messages,
 * Bedrock, Copilot, OpenRouter, Mistral, LiteLLM and Groq. Only the beginning of a message counts: what follows may quote
 * the caller.
 */
const MISSING =
  /^(?:model (?:not exist|not found|does not exist)|the supported api model names are |(?:invalid params, )?unknown model|(?:\[\d{4}\]\[)?(?:模型不存在|modelcode: does not exist)|the provided model identifier is invalid|the requested model is not supported|\S{1,128} is not a valid model|(?:\/[\w/]{1,64}: )?invalid model(?:: | name passed in )|the model \S{1,128} has been decommissioned)/i;

/**
 * Whether a refusal with status 400 or 422 says that the vendor does not have the model.
 * @param words its type and its code.
 */
export function saysModelIsMissing(message: string, ...words: readonly (string | undefined)[]): boolean {
  return words.some((word) => MODEL_CODES.has(word)) || MISSING.test(message);
}

/**
 * Whether what a 404 or 410 does not find is a model. OpenRouter: "No endpoints found for a/b:free." or "… that support
 * tool use"; NVIDIA: "Function '23d4f03a-…': Not found for account …".
 */
export function isModelMissing(message = '', code?: string): boolean {
  if (code === 'DeploymentNotFound' || /model/i.test(`${message} ${code}`)) return true;
  return /^(?:no endpoints (?:found|available)|function '[\w-]{1,64}': not found)/i.test(message);
}

/**
 * The words for an empty or closed account: of Anthropic (two for money, two for that of a plan and one for a closed
 * account), Z.ai and Zhipu, xAI, Fireworks and Moonshot, Alibaba, and Google. Only the beginning of a message counts:
 * what follows may quote the caller, who could make an account look empty.
 */
const CLOSED = new RegExp(
  [
    'your credit balance is too low',
    'you have reached your specified (workspace )?api usage limits',
    "you're out of extra usage",
    'third-party apps now draw from your extra usage',
    'this organization has been disabled',
    'insufficient balance',
    '余额不足',
    'your team \\S{1,64} has either used all available credits',
    '(your )?account \\S{1,64} is suspended',
    'access denied, please make sure your account is in good standing',
    'your prepayment credits are depleted',
  ]
    .map((words) => `^${words}`)
    .join('|'),
  'i',
);

/** The words for a key that is wrong. A quotation mark before them begins a quotation: "'x' does not match '^[a-z]$'". */
const WRONG_KEY = /^((incorrect|invalid|missing|no valid) api.?key|api.?key not valid)/i;

/** Whether a vendor's message says that the account has no money left, or is closed. */
export function saysAccountIsClosed(message: string): boolean {
  return CLOSED.test(message) && !mayQuote(message);
}

/** Whether a vendor's message says that the gateway's key is wrong. */
export function saysKeyIsWrong(message: string): boolean {
  return WRONG_KEY.test(message) && !mayQuote(message);
}

/** Whether the beginning of a message may be the name of a field, as the caller wrote it. */
function mayQuote(message: string): boolean {
  // A message that was cut has an unknown end.
  return message.length >= MAX_FOREIGN || message.endsWith(': Extra inputs are not permitted');
}
