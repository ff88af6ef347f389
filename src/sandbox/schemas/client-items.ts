/**
 * Items of the tools that the caller runs itself, as OpenAI's responses accepts them (types of the npm package `openai`
 * 7).
 */

import { z } from 'zod';
import { free, tagged, text, whole } from './fields.ts';

const status = z.enum(['in_progress', 'completed', 'incomplete']).nullish();
const common = {
  id: text.nullish(),
  caller: free.nullish(),
  /** Codex adds this to every item. */
  internal_chat_message_metadata_passthrough: free.nullish(),
  /** Of the beta `responses_multi_agent`. */
  agent: free.nullish(),
};

const shellCall = tagged('shell_call', {
  ...common,
  call_id: text,
  action: z.strictObject({
    commands: z.array(text),
    max_output_length: whole.nullish(),
    timeout_ms: whole.nullish(),
  }),
  environment: free.nullish(),
  status,
});
const shellOutput = tagged('shell_call_output', {
  ...common,
  call_id: text,
  output: z.array(
    z.strictObject({
      stdout: text,
      stderr: text,
      outcome: z.discriminatedUnion('type', [tagged('exit', { exit_code: whole }), tagged('timeout')]),
    }),
  ),
  max_output_length: whole.nullish(),
  status,
});

const localShellCall = tagged('local_shell_call', {
  ...common,
  call_id: text,
  action: tagged('exec', {
    command: z.array(text),
    env: z.record(z.string(), text),
    timeout_ms: whole.nullish(),
    user: text.nullish(),
    working_directory: text.nullish(),
  }),
  status,
});
/** According to the types the id of the call is in `id`; according to the guide it is in `call_id`. */
const localShellOutput = tagged('local_shell_call_output', {
  ...common,
  call_id: text.nullish(),
  output: text,
  status,
});

const patchCall = tagged('apply_patch_call', {
  ...common,
  call_id: text,
  operation: z.discriminatedUnion('type', [
    tagged('create_file', { path: text, diff: text }),
    tagged('update_file', { path: text, diff: text }),
    tagged('delete_file', { path: text }),
  ]),
  status: z.enum(['in_progress', 'completed']),
});
const patchOutput = tagged('apply_patch_call_output', {
  ...common,
  call_id: text,
  status: z.enum(['completed', 'failed']),
  output: text.nullish(),
});

/** The schemas of these items. */
export const clientItems = [
  shellCall,
  shellOutput,
  localShellCall,
  localShellOutput,
  patchCall,
  patchOutput,
] as const;
