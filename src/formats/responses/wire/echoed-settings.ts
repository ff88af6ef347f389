/** The settings of a request that the response object repeats (OpenAI API reference, "The response object"). */

/** The names of the settings. */
export const ECHOED_SETTINGS = [
  'access_programs',
  'background',
  'frequency_penalty',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'parallel_tool_calls',
  'presence_penalty',
  'previous_response_id',
  'prompt_cache_key',
  'prompt_cache_retention',
  'reasoning',
  'safety_identifier',
  'store',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
] as const;

export type EchoedSetting = (typeof ECHOED_SETTINGS)[number];
