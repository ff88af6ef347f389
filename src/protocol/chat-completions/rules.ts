/** The rules of chat-completions, streamed and whole. */

/** A sentence for each rule, by its id. */
export const rules = {
  // The stream
  json: 'Every `data:` is one JSON object or the word `[DONE]`.',
  'event-name': 'Events have no name; only an error event may be named `error`.',
  'after-done': 'Nothing comes after `[DONE]`.',
  'done-missing': '`[DONE]` ends the stream.',
  'cut-off': 'The stream does not end before its choices do.',
  'chunk-object': "Every chunk's `object` is `chat.completion.chunk`.",
  'chunk-id': 'Every chunk has the same non-empty `id`.',
  'chunk-model': 'Every chunk has the same non-empty `model`.',
  'chunk-created': 'Every chunk has the same `created`, a whole number.',
  'chunk-empty': 'A chunk without choices tells usage, or moderation.',
  'choices-list': '`choices` is a list of objects.',
  'choice-index': 'Choices are numbered 0, 1, 2 … without gaps.',
  'choice-missing': 'There is at least one choice.',
  'delta-object': 'Every choice of a chunk has a `delta`, an object.',
  'delta-text': '`content`, `refusal` and `reasoning_content` of a delta are strings or null.',
  'role-first': "A choice's first delta says `role: assistant`.",
  'role-repeated': 'No later delta says the role again.',
  'finish-field': 'Every choice of a chunk has a `finish_reason`, null but in its last chunk.',
  'after-finish': 'Nothing comes for a choice after its `finish_reason`; so there is only one.',
  'finish-missing': 'Every choice has a `finish_reason` before `[DONE]`.',
  'call-list': '`tool_calls` is a list of objects.',
  'call-index': 'Every piece of a tool call has an `index`; calls are numbered 0, 1, 2 … as they start.',
  'call-head': "A tool call's first piece has `id`, `type` and the function's `name`, none empty.",
  'call-head-repeated': 'Later pieces of a tool call have none of `id`, `type` and `name`.',
  'call-piece': "Every piece of a call's arguments is a string.",
  'usage-place': 'Usage comes in a chunk of its own, with `choices: []`.',
  'usage-once': 'Usage comes once.',
  'after-usage': 'Only `[DONE]` comes after the usage chunk, moderation aside.',
  'usage-unasked': 'Usage comes only where `stream_options.include_usage` asked for it.',
  'usage-missing':
    'Usage comes where `stream_options.include_usage` asked for it, and in every whole answer.',
  'after-error': 'Only `[DONE]` may come after an error.',
  // Both
  'error-shape': 'An error is an object with a `message`, a string.',
  'finish-word': '`finish_reason` is one of stop, length, tool_calls, content_filter, function_call.',
  'finish-payload': '`finish_reason` says tool_calls or function_call only where there is such a call.',
  'finish-stop':
    'An answer with tool calls does not finish with `stop`, unless `tool_choice` named the tool.',
  'call-id': 'No two tool calls of an answer have the same `id`.',
  'call-arguments': "A finished call's arguments are the JSON text of an object.",
  'call-arguments-empty': 'A call without arguments says `{}`.',
  'usage-shape': '`prompt_tokens`, `completion_tokens` and `total_tokens` are whole numbers.',
  'usage-sum': 'Total is prompt plus completion; cached is part of prompt, reasoning of completion.',
  // Whole
  'body-fields': 'A chat.completion has `id`, `object`, `created` and `model`.',
  'message-fields': 'A message has `role: assistant`, and `content` and `refusal` that are strings or null.',
} as const;

/** The id of a rule. */
export type Rule = keyof typeof rules;

/** Takes what is wrong with an answer. */
export type Report = (rule: Rule, detail: string) => void;

/** Rules that services other than OpenAI break in ways that clients tolerate, with the services that do. */
export const excused = {
  'done-missing': 'Perplexity and GPUStack send none.',
  'chunk-object': 'Moonshot gives none; Perplexity ends with `chat.completion.done`.',
  'chunk-id': "Groq's compound models, Cerebras and Avian change it on the way; Snowflake's is empty.",
  'chunk-created': 'Ollama, Groq, xAI, llama.cpp, GPUStack and Perplexity give the time of the chunk.',
  'delta-text': 'Mistral gives thoughts and text as a list of parts.',
  'role-first': "Groq's compound models, GPUStack, LiteLLM and Mistral leave it out at times.",
  'role-repeated':
    'OpenRouter, Ollama, Perplexity, Together, Cerebras, Snowflake and Z.ai say it in every chunk.',
  'finish-field':
    'xAI, Cerebras, Alibaba, LiteLLM, Perplexity, Snowflake and Z.ai leave it out until the end.',
  'after-finish': 'OpenRouter, Cerebras and LiteLLM send a chunk with usage after it; Together a last piece.',
  'finish-missing': 'Snowflake sends none; LiteLLM sends it for one choice of several.',
  'call-list': 'Mistral, Snowflake and Together say null.',
  'call-index': 'Mistral leaves it out at times.',
  'call-head': "Mistral leaves out `type`; the `id` of Gemini's compatible endpoint is empty.",
  'call-head-repeated': 'Alibaba and GLM models say the rest again, empty.',
  'call-piece': "OpenRouter leaves the first piece's out.",
  'usage-place': 'DeepSeek, Mistral, Groq, Moonshot, OpenRouter and others send it with the finish.',
  'usage-once': 'Perplexity sends it in every chunk, Hugging Face twice.',
  'after-usage': 'Perplexity and Hugging Face go on after it.',
  'error-shape': 'The `error` of xAI is a string; Mistral says `detail`.',
  'finish-word': 'Together says eos, OpenRouter error; Snowflake says nothing.',
  'finish-stop': "Gemini's compatible endpoint says stop for streamed calls.",
  'call-arguments-empty': 'Snowflake says nothing at all.',
  'usage-sum':
    "xAI and Gemini's compatible endpoint leave reasoning out of completion; Vercel's gateway and Azure's Grok miscount.",
  'body-fields': 'Snowflake leaves out `id` and `model`.',
  'message-fields': 'Mistral gives parts; Groq and Gemini leave `content` out beside tool calls.',
} as const satisfies Partial<Record<Rule, string>>;
