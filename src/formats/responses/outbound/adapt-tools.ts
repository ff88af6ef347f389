/** A prompt's tools for services that refuse choices among tools, or schemas that contain themselves (Meta). */

import type { Prompt } from '../../../conversation/prompt.ts';
import { filterAllowed } from '../../../conversation/rules/allowed-tools.ts';
import { downgradeToolChoice, dropLostChoice } from '../../forced-choice.ts';
import type { Report } from '../../format.ts';
import { cutCycles } from '../../openai/functions.ts';
import { withSchemas } from '../../prompt-schemas.ts';
import type { Dialect } from '../dialects.ts';
import { safeName } from './tool-names.ts';

/**
 * Adapts the tools and the choice among them to a dialect. If the dialect has no choices, a forced call is asked for in
 * words, and only the tools that may be called are offered.
 * @returns the prompt itself if the dialect takes everything.
 */
export function adaptTools(prompt: Prompt, dialect: Dialect, report: Report): Prompt {
  const acyclic = dialect.cyclicSchemas
    ? prompt
    : withSchemas(prompt, (schema, field) => cutCycles(schema, field, report));
  if (dialect.toolChoices) return acyclic;
  const choosing = dropLostChoice(acyclic, 'responses', true, report);
  return dropChoice(downgradeToolChoice(choosing, safeName, report), report);
}

function dropChoice(prompt: Prompt, report: Report): Prompt {
  const { toolChoice, tools = [], ...rest } = prompt;
  if (toolChoice === undefined) return prompt;
  if (toolChoice.mode === 'none') {
    report('tools', 'dropped', 'no tool may be called, and the service knows no other way to say so');
    return rest;
  }
  if (toolChoice.allowed === undefined) return prompt;
  report('toolChoice', 'approximated', 'only the allowed tools are sent');
  return { ...rest, tools: filterAllowed(tools, toolChoice), toolChoice: { mode: 'auto' } };
}
