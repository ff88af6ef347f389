/**
 * What OpenAI's chat completions accepts, and nothing else (types of the npm package `openai` 7, checked against
 * recorded requests). `compatibleRequest` also accepts what the services that speak this format have added.
 */

import { z } from 'zod';
import { each, flag, free, tagged, text, whole } from './fields.ts';

const cacheBreakpoint = z.strictObject({ mode: z.enum(['explicit', 'implicit']), ttl: text.optional() });
const textPart = tagged('text', { text, prompt_cache_breakpoint: cacheBreakpoint.optional() });
const textContent = z.union([text, z.array(textPart).min(1)]);

const userPart = z.discriminatedUnion('type', [
  textPart,
  tagged('image_url', {
    // The one object in which OpenAI passes over an unknown field: Strands Agents, whose tests ask OpenAI itself, sends
    // a `format` here (`test_invoke_multi_modal_input` of strands-agents/sdk-python).
    image_url: z.looseObject({ url: text, detail: z.enum(['auto', 'low', 'high', 'original']).optional() }),
    prompt_cache_breakpoint: cacheBreakpoint.optional(),
  }),
  tagged('input_audio', {
    input_audio: z.strictObject({ data: text, format: z.enum(['wav', 'mp3']) }),
    prompt_cache_breakpoint: cacheBreakpoint.optional(),
  }),
  tagged('file', {
    file: z.strictObject({ file_data: text.optional(), file_id: text.optional(), filename: text.optional() }),
    prompt_cache_breakpoint: cacheBreakpoint.optional(),
  }),
]);

const functionCall = z.strictObject({
  name: text,
  arguments: text,
  // OpenAI's own SDK adds this to an answer, and sends it back with the history.
  parsed_arguments: z.unknown().optional(),
});
const toolCall = z.discriminatedUnion('type', [
  z.strictObject({ id: text, type: z.literal('function'), function: functionCall }),
  z.strictObject({
    id: text,
    type: z.literal('custom'),
    custom: z.strictObject({ name: text, input: text }),
  }),
]);

const name = text.optional();
const assistantMessage = z.strictObject({
  role: z.literal('assistant'),
  content: z
    .union([text, z.array(z.discriminatedUnion('type', [textPart, tagged('refusal', { refusal: text })]))])
    .nullish(),
  name,
  refusal: text.nullish(),
  annotations: z.array(free).optional(),
  audio: z.strictObject({ id: text }).nullish(),
  tool_calls: z.array(toolCall).min(1).optional(),
  function_call: functionCall.nullish(),
  parsed: z.unknown().optional(),
});
const message = z.discriminatedUnion('role', [
  assistantMessage,
  z.strictObject({ role: z.literal('developer'), content: textContent, name }),
  z.strictObject({ role: z.literal('system'), content: textContent, name }),
  z.strictObject({ role: z.literal('user'), content: z.union([text, z.array(userPart).min(1)]), name }),
  // LangChain also names the tool, and OpenAI accepts that.
  z.strictObject({ role: z.literal('tool'), content: textContent, tool_call_id: text, name }),
  z.strictObject({ role: z.literal('function'), content: text.nullable(), name: text }),
]);

const functionFields = { name: text, description: text.optional(), parameters: free.optional() };
const tool = z.discriminatedUnion('type', [
  tagged('function', { function: z.strictObject({ ...functionFields, strict: flag.nullish() }) }),
  tagged('custom', {
    custom: z.strictObject({ name: text, description: text.optional(), format: free.optional() }),
  }),
]);

const named = z.strictObject({ name: text });
const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    tagged('function', { function: named }),
    tagged('custom', { custom: named }),
    tagged('allowed_tools', {
      allowed_tools: z.strictObject({ mode: z.enum(['auto', 'required']), tools: z.array(free) }),
    }),
  ]),
]);

const responseFormat = z.discriminatedUnion('type', [
  tagged('text'),
  tagged('json_object'),
  tagged('json_schema', {
    json_schema: z.strictObject({
      name: text.regex(/^[\w-]{1,64}$/),
      // inspect-ai sends null, and asks OpenAI itself in `test_openai_structured_output`.
      description: text.nullish(),
      schema: free.optional(),
      strict: flag.nullish(),
    }),
  }),
]);

const requestFields = {
  model: text,
  messages: z.array(message).min(1),
  max_completion_tokens: whole.positive().nullish(),
  max_tokens: whole.positive().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  n: whole.min(1).max(128).nullish(),
  stop: z.union([text, z.array(text).max(4)]).nullish(),
  stream: flag.nullish(),
  stream_options: z
    .strictObject({ include_usage: flag.optional(), include_obfuscation: flag.optional() })
    .nullish(),
  tools: z.array(tool).min(1).optional(),
  tool_choice: toolChoice.optional(),
  parallel_tool_calls: flag.optional(),
  functions: z.array(z.strictObject(functionFields)).min(1).optional(),
  function_call: z.union([z.enum(['none', 'auto']), named]).optional(),
  response_format: responseFormat.optional(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
  logprobs: flag.nullish(),
  top_logprobs: whole.min(0).max(20).nullish(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  seed: whole.nullish(),
  modalities: z.array(z.enum(['text', 'audio'])).nullish(),
  audio: z.strictObject({ format: text, voice: z.union([text, free]) }).nullish(),
  prediction: z
    .strictObject({ type: z.literal('content'), content: z.union([text, z.array(textPart)]) })
    .nullish(),
  web_search_options: z
    .strictObject({
      search_context_size: z.enum(['low', 'medium', 'high']).optional(),
      user_location: free.nullish(),
    })
    .optional(),
  metadata: z.record(z.string(), text).nullish(),
  store: flag.nullish(),
  user: text.optional(),
  safety_identifier: text.nullish(),
  prompt_cache_key: text.nullish(),
  prompt_cache_options: z
    .strictObject({ mode: z.enum(['implicit', 'explicit']).optional(), ttl: text.optional() })
    .optional(),
  prompt_cache_retention: z.enum(['in_memory', 'in-memory', '24h']).nullish(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast']).nullish(),
  moderation: z.strictObject({ model: text, policy: free.nullish() }).nullish(),
};

/** A request to OpenAI. */
export const chatRequest = z.strictObject(requestFields);

/** The services differ most in what they add to messages and tools, so only the core of those is checked. */
const compatibleMessage = z.looseObject({
  role: z.enum(['developer', 'system', 'user', 'assistant', 'tool']),
  content: z.union([text, z.array(z.looseObject({ type: text }))]).nullish(),
  name: text.nullish(),
  tool_call_id: text.nullish(),
  tool_calls: z
    .array(z.looseObject({ id: text, function: z.looseObject({ name: text, arguments: text }) }))
    .nullish(),
});

function withoutNulls(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

const compatibleFields = z.strictObject({
  ...requestFields,
  messages: z.array(compatibleMessage).min(1),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: text }).optional() })).optional(),
  tool_choice: z.union([text, z.looseObject({ type: text.optional() })]).optional(),
  response_format: z.looseObject({ type: text }).optional(),
  reasoning_effort: text.optional(),
  service_tier: text.optional(),
  ...each(z.number().optional(), 'top_k min_p repetition_penalty'),
  random_seed: whole.optional(),
  safe_prompt: flag.optional(),
  reasoning: free.optional(),
  reasoning_format: text.optional(),
  include_reasoning: flag.optional(),
  thinking: free.optional(),
  ...each(flag.optional(), 'enable_thinking clear_thinking reasoning_split tool_stream'),
  usage: free.optional(),
  provider: free.optional(),
  plugins: z.array(free).optional(),
  models: z.array(text).optional(),
  transforms: z.array(text).optional(),
  search_settings: free.optional(),
  safety_model: text.optional(),
  echo: flag.optional(),
  cache_control: free.optional(),
});

/** A request to a compatible service. */
export const compatibleRequest = z.preprocess(withoutNulls, compatibleFields);

/** DeepSeek takes 16 stop sequences (API reference, "Create chat completion"). */
const stop = z.union([text, z.array(text).max(16)]).optional();

/** A request to DeepSeek. */
export const deepseekRequest = z.preprocess(withoutNulls, compatibleFields.extend({ stop }));
