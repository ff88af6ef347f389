/**
 * Functions for OpenAI's tools that the caller runs: `shell`, `local_shell`, `apply_patch`. Only OpenAI's own models are
 * trained on them. For any other model each is a function, with a description and a schema.
 *
 * The schemas follow OpenAI's guides and the types of `openai` 7. A diff is what OpenAI's own parser takes (`applyDiff`
 * of `@openai/agents-core`). Each schema is one flat object with the fields of the call's `action` or `operation`.
 */

import type { FunctionTool } from '../../../conversation/prompt.ts';
import { asObject, asObjects, asText, type Json, type JsonObject } from '../../../lib/json.ts';

type Definition = Required<Pick<FunctionTool, 'description' | 'parameters'>>;

/** Defines a tool that the caller runs as a function with the name of its type; undefined for any other tool. */
export function defineClientTool(tool: JsonObject): FunctionTool | undefined {
  const name = asText(tool['type']) ?? '';
  const define = isLocal(tool['environment']) ? DEFINITIONS.get(name) : undefined;
  return (
    define && { kind: 'function', name, ...define(tool), shorthand: { format: 'responses', fields: tool } }
  );
}

/** Whether the `environment` of a shell, or of a call of it, is the caller's own and not a container of OpenAI's. */
export function isLocal(environment: Json | undefined): boolean {
  return (asObject(environment)?.['type'] ?? 'local') === 'local';
}

const SHELL: Definition = {
  description:
    "Runs commands in a shell on the user's own machine. Several commands of one call may run side by side, so none may " +
    'depend on the working directory or the variables of another: join dependent commands into one with `&&`. A ' +
    'running command gets no input: use none that waits for input or needs a screen. Returns what each command wrote to ' +
    'stdout and stderr, and its exit code.',
  parameters: {
    type: 'object',
    properties: {
      commands: { ...textList('The commands to run, each one a line for the shell.'), minItems: 1 },
      timeout_ms: wholeNumber('The maximum time for the commands, in milliseconds.'),
      max_output_length: wholeNumber('The maximum length of their output, in characters.'),
    },
    required: ['commands'],
  },
};

const LOCAL_SHELL: Definition = {
  description:
    "Runs a command on the user's own machine, and returns its output. The command is a program and its arguments, " +
    'without a shell: for pipes and the like start one, as in ["bash", "-lc", "ls | wc -l"]. A running command gets no ' +
    'input: use none that waits for input or needs a screen.',
  parameters: {
    type: 'object',
    properties: {
      command: { ...textList('The program and its arguments.'), minItems: 1 },
      env: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Environment variables for the command.',
      },
      working_directory: { type: 'string', description: 'The directory in which the command runs.' },
      timeout_ms: wholeNumber('The maximum time for the command, in milliseconds.'),
      user: { type: 'string', description: 'The user that runs the command.' },
    },
    required: ['command'],
  },
};

const APPLY_PATCH: Definition = {
  description: `Creates, changes or deletes one file. Call it once for each file. Changes are a diff in the V4A format, for one file, without its name, line numbers or \`*** Begin Patch\`.

To create a file, the diff is all its lines, each after a \`+\`. To change a file, the diff has one section for each place that changes, in the order of the file. A section begins with a line \`@@\`. If the lines around the place occur more than once in the file, write \`@@ \` and a line from above the place instead, such as that of its class or function. Then come about three lines from before the place, each after a space, the lines to remove, each after a \`-\`, the lines to add, each after a \`+\`, and about three lines from after the place, each after a space. Lines that stay or are removed must be exactly as they are in the file. For example:

@@ def area(radius):
     pi = 3
-    return pi * radius
+    return pi * radius ** 2
 
 def main():`,
  parameters: {
    type: 'object',
    properties: {
      type: {
        type: 'string',
        enum: ['create_file', 'update_file', 'delete_file'],
        description: 'What to do with the file.',
      },
      path: {
        type: 'string',
        description: 'The path of the file from the root of the workspace: `src/area.py`.',
      },
      diff: { type: 'string', description: 'For `create_file` and `update_file`: the V4A diff.' },
    },
    required: ['type', 'path'],
  },
};

const DEFINITIONS = new Map<string, (tool: JsonObject) => Definition>([
  ['shell', (tool) => ({ ...SHELL, description: SHELL.description + describeSkills(tool['environment']) })],
  ['local_shell', () => LOCAL_SHELL],
  ['apply_patch', () => APPLY_PATCH],
]);

/** Lists the skills on the caller's machine (guide "Skills"): the SKILL.md in a skill's directory explains the skill. */
function describeSkills(environment: Json | undefined): string {
  const skills = asObjects(asObject(environment)?.['skills']).map(
    ({ name, description, path }) => `\n- ${asText(name)} (${asText(path)}): ${asText(description)}`,
  );
  if (skills.length === 0) return '';
  return ` Before work that one of these skills covers, read SKILL.md in its directory:${skills.join('')}`;
}

function textList(description: string) {
  return { type: 'array', items: { type: 'string' }, description };
}

function wholeNumber(description: string) {
  return { type: 'integer', minimum: 0, description };
}
