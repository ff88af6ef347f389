/** Refusals that say, in whatever format, that a prompt exceeds the model's context. Services word it in many ways. */

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
