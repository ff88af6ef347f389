/**
 * What few services read that speak responses besides OpenAI: its tools that are run by the caller and are no functions,
 * and what a dialogue has of them. xAI refuses each ("unknown variant `custom`, expected one of `function`", "data did
 * not match any variant of untagged enum ModelInput"), and Codex sends some with every request.
 */

const TYPES = [
  'additional_tools',
  'agent_message',
  'apply_patch',
  'apply_patch_call',
  'apply_patch_call_output',
  'custom',
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell',
  'local_shell_call',
  'local_shell_call_output',
  'namespace',
  'shell',
  'shell_call',
  'shell_call_output',
  'tool_search',
  'tool_search_call',
  'tool_search_output',
];

const TYPED = new RegExp(`"type"\\s*:\\s*"(?:${TYPES.join('|')})"`);

/**
 * Of those what a service passes over without a word, by its dialect. DeepSeek's responses are made for Codex, but read
 * no tools but functions, its patches and searches of the web: the model then has none, and writes its calls as text.
 */
const PASSED_OVER: Readonly<Record<string, RegExp>> = {
  deepseek: /"type"\s*:\s*"(?:additional_tools|namespace|tool_search)"/,
};

/** @see Outbound.passedOver */
export function passedOver(dialect: string): RegExp | undefined {
  return Object.hasOwn(PASSED_OVER, dialect) ? PASSED_OVER[dialect] : undefined;
}

/** @see Outbound.isVendorsOwn */
export function isVendorsOwn(body: string, dialect: string): boolean {
  return dialect !== 'openai' && TYPED.test(body);
}
