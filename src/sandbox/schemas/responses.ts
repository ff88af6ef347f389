/**
 * What OpenAI's responses accepts, and nothing else (types of the npm package `openai` 7, checked against recorded
 * requests). Of the items of hosted tools only the type is checked, since the sandbox runs none of them.
 */

import { z } from 'zod';
import { wordList } from '../../lib/words.ts';
import { clientItems } from './client-items.ts';
import { each, flag, free, tagged, text, whole } from './fields.ts';

const id = text.nullish();
const itemStatus = z.enum(['in_progress', 'completed', 'incomplete']).nullish();
/** What may be in every item. The first is Codex's. */
const passed = {
  internal_chat_message_metadata_passthrough: free.nullish(),
  /** Of the beta `responses_multi_agent`. */
  agent: free.nullish(),
};
const itemFields = { id, status: itemStatus, ...passed };
const cacheBreakpoint = z
  .strictObject({ mode: z.enum(['explicit', 'implicit']), ttl: text.optional() })
  .nullish();

const inputPart = z.discriminatedUnion('type', [
  tagged('input_text', { text, prompt_cache_breakpoint: cacheBreakpoint }),
  tagged('input_image', {
    detail: z.enum(['low', 'high', 'auto', 'original']).nullish(),
    image_url: text.nullish(),
    file_id: text.nullish(),
    prompt_cache_breakpoint: cacheBreakpoint,
  }),
  tagged('input_file', {
    ...each(text.nullish(), 'file_data file_id file_url filename'),
    detail: text.optional(),
    prompt_cache_breakpoint: cacheBreakpoint,
  }),
]);
const outputPart = z.discriminatedUnion('type', [
  tagged('output_text', { text, annotations: z.array(free).optional(), logprobs: z.array(free).optional() }),
  tagged('refusal', { refusal: text }),
]);

const message = z.strictObject({
  type: z.literal('message').optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([text, z.array(z.union([inputPart, outputPart]))]),
  id,
  status: itemStatus,
  phase: z.enum(['commentary', 'final_answer']).nullish(),
  ...passed,
});

const callOutput = z.union([text, z.array(inputPart)]);
const knownItems = [
  tagged('function_call', {
    ...each(text, 'call_id name arguments'),
    async: flag.nullish(),
    namespace: text.nullish(),
    caller: free.nullish(),
    ...itemFields,
  }),
  tagged('function_call_output', {
    call_id: text.nullish(),
    output: callOutput,
    name: text.nullish(),
    namespace: text.nullish(),
    caller: free.nullish(),
    ...itemFields,
  }),
  tagged('custom_tool_call', {
    ...each(text, 'call_id name input'),
    async: flag.nullish(),
    namespace: text.nullish(),
    caller: free.nullish(),
    ...itemFields,
  }),
  tagged('custom_tool_call_output', {
    call_id: text,
    output: callOutput,
    name: text.nullish(),
    caller: free.nullish(),
    ...itemFields,
  }),
  tagged('reasoning', {
    id,
    summary: z.array(tagged('summary_text', { text })),
    content: z.array(tagged('reasoning_text', { text })).nullish(),
    encrypted_content: text.nullish(),
    status: itemStatus,
    ...passed,
  }),
  tagged('item_reference', { id: text }),
] as const;

/** A reference may leave out its type. */
const bareReference = z.strictObject({ type: z.null().optional(), id: text });

const hostedItem = z.looseObject({
  type: z.enum(
    wordList(`
      file_search_call web_search_call computer_call computer_call_output code_interpreter_call
      image_generation_call mcp_list_tools mcp_approval_request mcp_approval_response mcp_call
      tool_search_call tool_search_output additional_tools agent_message agent_reasoning compaction
      compaction_summary configuration_update context_compaction compaction_trigger program program_output
      multi_agent_call multi_agent_call_output
    `),
  ),
});

const item = z.union([
  message,
  bareReference,
  z.discriminatedUnion('type', [...knownItems, ...clientItems, hostedItem]),
]);

const functionTool = tagged('function', {
  name: text,
  description: text.nullish(),
  parameters: free.nullish(),
  strict: flag.nullish(),
  async: flag.optional(),
  defer_loading: flag.optional(),
  allowed_callers: z.array(text).nullish(),
  output_schema: free.nullish(),
});
const customTool = tagged('custom', {
  name: text,
  description: text.optional(),
  format: free.optional(),
  async: flag.optional(),
  defer_loading: flag.optional(),
  allowed_callers: z.array(text).nullish(),
});
const hostedTool = z.looseObject({
  type: z.enum(
    wordList(`
      file_search computer computer_use_preview web_search web_search_2025_08_26 web_search_preview
      web_search_preview_2025_03_11 mcp code_interpreter programmatic_tool_calling image_generation
      local_shell shell namespace tool_search apply_patch
    `),
  ),
});
const tool = z.discriminatedUnion('type', [functionTool, customTool, hostedTool]);

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    tagged('function', { name: text }),
    tagged('custom', { name: text }),
    tagged('allowed_tools', { mode: z.enum(['auto', 'required']), tools: z.array(free) }),
    tagged('computer_use'),
    hostedTool,
  ]),
]);

const textFormat = z.discriminatedUnion('type', [
  tagged('text'),
  tagged('json_object'),
  tagged('json_schema', {
    name: text.regex(/^[\w-]{1,64}$/),
    schema: free,
    description: text.optional(),
    strict: flag.nullish(),
  }),
]);

const serviceTier = z.enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast']).nullish();

const dialogueFields = {
  model: text.optional(),
  input: z.union([text, z.array(item)]).optional(),
  instructions: text.nullish(),
  previous_response_id: text.nullish(),
};

const countedFields = {
  ...dialogueFields,
  tools: z.array(tool).optional(),
  tool_choice: toolChoice.optional(),
  parallel_tool_calls: flag.nullish(),
  text: z
    .strictObject({ format: textFormat.optional(), verbosity: z.enum(['low', 'medium', 'high']).nullish() })
    .optional(),
  reasoning: z
    .strictObject({
      effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
      generate_summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
      mode: z.enum(['standard', 'pro']).nullish(),
      context: z.enum(['auto', 'current_turn', 'all_turns']).nullish(),
    })
    .nullish(),
  conversation: z.union([text, z.strictObject({ id: text })]).nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
};

const cacheFields = {
  prompt_cache_key: text.nullish(),
  prompt_cache_options: z
    .strictObject({
      mode: z.enum(['implicit', 'explicit']).optional(),
      ttl: text.optional(),
      comparison_response_id: text.nullish(),
      prewarm: flag.optional(),
    })
    .optional(),
  prompt_cache_retention: z.enum(['in_memory', 'in-memory', '24h']).nullish(),
};

const requestFields = {
  ...countedFields,
  max_output_tokens: whole.min(16).nullish(),
  max_tool_calls: whole.nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: whole.min(0).max(20).nullish(),
  include: z
    .array(
      z.enum(
        wordList(`
          file_search_call.results web_search_call.results web_search_call.action.sources
          message.input_image.image_url computer_call_output.output.image_url
          code_interpreter_call.outputs reasoning.encrypted_content message.output_text.logprobs
        `),
      ),
    )
    .nullish(),
  store: flag.nullish(),
  stream: flag.nullish(),
  stream_options: z.strictObject({ include_obfuscation: flag.optional() }).nullish(),
  background: flag.nullish(),
  background_options: z
    .strictObject({
      completion_window: z.enum(['soonest', '2h', '8h']).optional(),
      continuation_id: text.optional(),
    })
    .nullish(),
  client_metadata: z.record(z.string(), text).nullish(),
  context_management: z.array(free).nullish(),
  access_programs: free.optional(),
  multi_agent: free.nullish(),
  image: free.optional(),
  ...cacheFields,
  metadata: z.record(z.string(), text).nullish(),
  service_tier: serviceTier,
  prompt: z.strictObject({ id: text, version: text.nullish(), variables: free.nullish() }).nullish(),
  safety_identifier: text.nullish(),
  user: text.nullish(),
  moderation: z.strictObject({ model: text, policy: free.nullish() }).nullish(),
};

/** A request for a response. */
export const responsesRequest = z.strictObject(requestFields);

/** A request to count input tokens. */
export const inputTokensRequest = z.strictObject({ ...countedFields, personality: text.max(64).optional() });

/** A request to compact a dialogue. */
export const compactRequest = z.strictObject({
  ...dialogueFields,
  ...cacheFields,
  image: free.optional(),
  service_tier: serviceTier,
});

/** A request to a service that speaks this format beside chat completions. */
export const compatibleResponsesRequest = z.strictObject({
  ...requestFields,
  tools: z.array(z.looseObject({ type: text })).optional(),
  provider: free.optional(),
});
