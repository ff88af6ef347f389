/**
 * What Anthropic's messages accepts, and nothing else (types of the npm package `@anthropic-ai/sdk` 1.11, checked
 * against recorded requests). Of the blocks and tools that Anthropic's own servers run only the type is checked, since
 * the sandbox runs none of them.
 */

import { z } from 'zod';
import { wordList } from '../../lib/words.ts';
import { each, flag, free, tagged, text, whole } from './fields.ts';

const cacheControl = z
  .strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() })
  .nullish();
const cited = z.strictObject({ enabled: flag.optional() }).nullish();
const caller = z.looseObject({ type: text }).optional();

const textBlock = tagged('text', {
  text: text.min(1),
  citations: z.array(free).nullish(),
  cache_control: cacheControl,
});

const base64Image = tagged('base64', {
  media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
  data: text,
});
const urlSource = tagged('url', { url: text });
const fileSource = tagged('file', { file_id: text });
const imageBlock = tagged('image', {
  source: z.discriminatedUnion('type', [base64Image, urlSource, fileSource]),
  transformations: free.nullish(),
  cache_control: cacheControl,
});

const documentBlock = tagged('document', {
  source: z.discriminatedUnion('type', [
    tagged('base64', { media_type: z.literal('application/pdf'), data: text }),
    tagged('text', { media_type: z.literal('text/plain'), data: text }),
    tagged('content', {
      content: z.union([text, z.array(z.discriminatedUnion('type', [textBlock, imageBlock]))]),
    }),
    urlSource,
    fileSource,
  ]),
  title: text.min(1).max(500).nullish(),
  context: text.min(1).nullish(),
  citations: cited,
  cache_control: cacheControl,
});

const searchResultBlock = tagged('search_result', {
  source: text,
  title: text,
  content: z.array(textBlock),
  citations: cited,
  cache_control: cacheControl,
});

const toolResultBlock = tagged('tool_result', {
  tool_use_id: text.regex(/^[a-zA-Z0-9_-]+$/),
  content: z
    .union([
      text,
      z.array(
        z.discriminatedUnion('type', [
          textBlock,
          imageBlock,
          documentBlock,
          searchResultBlock,
          z.looseObject({ type: z.enum(['tool_reference', 'browser_state']) }),
        ]),
      ),
    ])
    .optional(),
  is_error: flag.optional(),
  toolset_name: text.nullish(),
  cache_control: cacheControl,
});

const ownBlocks = [
  textBlock,
  imageBlock,
  documentBlock,
  searchResultBlock,
  toolResultBlock,
  tagged('thinking', { thinking: text, signature: text }),
  tagged('redacted_thinking', { data: text }),
  tagged('tool_use', {
    id: text.regex(/^[a-zA-Z0-9_-]+$/),
    name: text.min(1).max(200),
    input: free,
    caller,
    toolset_name: text.nullish(),
    cache_control: cacheControl,
  }),
] as const;

const serverBlock = z.looseObject({
  type: z.enum(
    wordList(`
      server_tool_use web_search_tool_result web_fetch_tool_result code_execution_tool_result
      bash_code_execution_tool_result text_editor_code_execution_tool_result tool_search_tool_result
      container_upload mcp_tool_use mcp_tool_result mcp_tool_listing compaction fallback
      advisor_tool_result tool_addition tool_removal
    `),
  ),
  cache_control: cacheControl,
});

const effort = z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish();
const content = z.union([text, z.array(z.discriminatedUnion('type', [...ownBlocks, serverBlock]))]);
/** The last two fields belong to system messages only, and only system messages may leave out the content. */
const message = z.strictObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: content.optional(),
  clear_at: z.enum(['next_user_message', 'never']).nullish(),
  output_config: z.strictObject({ effort }).nullish(),
});

const customTool = z.strictObject({
  type: z.literal('custom').nullish(),
  name: text.regex(/^[a-zA-Z0-9_-]{1,128}$/),
  description: text.optional(),
  input_schema: z.looseObject({ type: z.literal('object') }),
  strict: flag.optional(),
  cache_control: cacheControl,
  defer_loading: flag.optional(),
  eager_input_streaming: flag.nullish(),
  input_examples: z.array(free).optional(),
  allowed_callers: z.array(text).optional(),
});
const datedTool = z.looseObject({
  type: text.regex(
    /^(bash|code_execution|text_editor|memory|web_search|web_fetch|tool_search_tool_(bm25|regex)|computer|computer_toolset|browser_toolset|advisor|mcp_toolset)(_\d{8})?$/,
  ),
});

const parallel = { disable_parallel_tool_use: flag.optional() };
const toolChoice = z.discriminatedUnion('type', [
  tagged('auto', parallel),
  tagged('any', parallel),
  tagged('tool', { name: text, ...parallel }),
  tagged('none'),
]);

const shown = {
  display: z.enum(['summarized', 'omitted', 'updates']).nullish(),
  block_binding: free.nullish(),
};
const thinking = z.discriminatedUnion('type', [
  tagged('enabled', { budget_tokens: whole.min(1024), ...shown }),
  tagged('adaptive', shown),
  tagged('disabled'),
  tagged('between_tools'),
]);

const jsonFormat = tagged('json_schema', { schema: free }).nullish();
const countedFields = {
  model: text.min(1),
  messages: z.array(message).min(1),
  system: z.union([text, z.array(textBlock)]).optional(),
  tools: z.array(z.union([customTool, datedTool])).optional(),
  tool_choice: toolChoice.optional(),
  thinking: thinking.optional(),
  output_config: z.strictObject({ effort, format: jsonFormat, task_budget: free.nullish() }).optional(),
  output_format: jsonFormat,
  cache_control: cacheControl,
  speed: z.enum(['standard', 'fast']).nullish(),
  user_profile_id: text.nullish(),
  workspace_id: text.nullish(),
  context_management: free.nullish(),
  mcp_servers: z.array(free).optional(),
};

/** A request for a message. */
export const messagesRequest = z.strictObject({
  ...countedFields,
  // A turn that continues a thread may have nothing new to say.
  messages: z.array(message),
  max_tokens: whole.min(1),
  stop_sequences: z.array(text).optional(),
  stream: flag.optional(),
  metadata: z.strictObject({ user_id: text.max(512).nullish() }).optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: whole.min(0).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  inference_geo: text.nullish(),
  container: z.union([text, free]).nullish(),
  ...each(free.nullish(), 'diagnostics billing_policy compaction'),
  fallbacks: z.union([z.array(free), z.literal('default')]).nullish(),
  fallback_credit_token: z.union([text, free]).nullish(),
  thread: free.nullish(),
});

/** A request to count tokens. */
export const countTokensRequest = z.strictObject(countedFields);
