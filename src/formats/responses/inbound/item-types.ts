/**
 * Types of input items (API reference, input items, and what Codex keeps of a conversation: `ResponseItem` of its
 * `protocol/src/models.rs`).
 */

import { wordList, wordSet } from '../../../lib/words.ts';

/** Types that only OpenAI understands. Other vendors can read only the calls among them that the caller answers. */
export const HOSTED_ITEMS = wordSet(`
  additional_tools agent_reasoning apply_patch_call apply_patch_call_output code_interpreter_call compaction
  compaction_summary computer_call computer_call_output configuration_update context_compaction
  file_search_call image_generation_call local_shell_call local_shell_call_output mcp_approval_request
  mcp_approval_response mcp_call mcp_list_tools multi_agent_call multi_agent_call_output program program_output
  shell_call shell_call_output tool_search_call tool_search_output web_search_call x_search_call
`);

/** All valid values of `type`. */
export const ITEM_TYPES = [
  ...wordList(`
    message agent_message function_call function_call_output custom_tool_call custom_tool_call_output
    reasoning
  `),
  ...HOSTED_ITEMS,
];

/** Fields of messages and tool outputs that only OpenAI understands. `agent` is of its beta `responses_multi_agent`. */
export const OPENAI_ITEM_FIELDS: ReadonlySet<string> = new Set([
  ...wordList('agent caller created_by id name namespace phase status'),
  // In no reference. Codex sends it with every item if it takes its provider for OpenAI, and it does so even if only the
  // address of the provider was changed.
  'internal_chat_message_metadata_passthrough',
]);
