/**
 * OpenAI's tools that the caller runs, and whose input only OpenAI's own models know by heart: `shell`, `local_shell`,
 * `apply_patch`. For any other model they are functions, once somebody says what they take.
 *
 * Each is what its guide and the types of `openai` 7 say; a diff is what OpenAI's own reader of it takes (`applyDiff` of
 * `@openai/agents-core`). One flat object each, with the fields of the call's `action` or `operation`.
 */

import type { FormatSpecific, FunctionTool, Tool } from '../../../conversation/prompt.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asObject, asObjects, asText } from '../../../lib/json.ts';

type Definition = Required<Pick<FunctionTool, 'description' | 'parameters'>>;

/** A tool of OpenAI's that the caller runs, as a function of the type's name; undefined for any other tool. */
export function spelledOut(tool: JsonObject): FunctionTool | undefined {
  const name = asText(tool['type']) ?? '';
  const define = isCallers(tool['environment']) ? CLIENT_TOOLS.get(name) : undefined;
  return (
    define && { kind: 'function', name, ...define(tool), shorthand: { format: 'responses', fields: tool } }
  );
}

/** Whether a tool is one that `spelledOut` has made: its type says all of it here. */
export function isClientTool(tool: Tool): tool is FunctionTool & { readonly shorthand: FormatSpecific } {
  return tool.kind === 'function' && tool.shorthand?.format === 'responses';
}

/** Whether the `environment` of a shell or of a call of it is the caller's own, and no container of OpenAI's. */
export function isCallers(environment: Json | undefined): boolean {
  return (asObject(environment)?.['type'] ?? 'local') === 'local';
}

const SHELL: Definition = {
  description:
    "Runs commands in a shell of the user's own machine. Several commands of one call may run side by side, and none " +
    'counts on the working directory or the variables of another: what does belongs into one command, joined by `&&`. A ' +
    'command cannot be answered while it runs: use none that waits for input or needs a screen. Returns what each has ' +
    'written to stdout and stderr, and its exit code.',
  parameters: {
    type: 'object',
    properties: {
      commands: { ...texts('The commands to run, each a line for the shell.'), minItems: 1 },
      timeout_ms: wholeNumber('How many milliseconds the commands may take at most.'),
      max_output_length: wholeNumber('How many characters of their output are wanted at most.'),
    },
    required: ['commands'],
  },
};

const LOCAL_SHELL: Definition = {
  description:
    "Runs a command on the user's own machine, and returns what it has written. The command is a program and its " +
    'arguments, without a shell: for pipes and the like call one, as in ["bash", "-lc", "ls | wc -l"]. It cannot be ' +
    'answered while it runs: use none that waits for input or needs a screen.',
  parameters: {
    type: 'object',
    properties: {
      command: { ...texts('The program, and each of its arguments.'), minItems: 1 },
      env: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Environment variables to set for it.',
      },
      working_directory: { type: 'string', description: 'The directory to run it in.' },
      timeout_ms: wholeNumber('How many milliseconds it may take at most.'),
      user: { type: 'string', description: 'The user to run it as.' },
    },
    required: ['command'],
  },
};

const APPLY_PATCH: Definition = {
  description: `Creates, changes or deletes one file; for several files it is called several times. Changes are a diff in the V4A format, for one file and without its name, line numbers or \`*** Begin Patch\`.

To create a file, the diff is all its lines, each after a \`+\`. To change one, it is a section for each place that changes, in the order of the file: a line \`@@\`, or \`@@ \` and a line of the file that stands somewhere above the place, as that of its class or function, where the lines around it are not there only once; then about three lines from before the place, each after a space, the lines to take out, each after a \`-\`, those to put in, each after a \`+\`, and about three lines from behind it. Lines that stay or go must be exactly as they are in the file. For example:

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
      path: { type: 'string', description: 'Where it is, from the root of the workspace: `src/area.py`.' },
      diff: { type: 'string', description: 'For `create_file` and `update_file`: the V4A diff.' },
    },
    required: ['type', 'path'],
  },
};

const CLIENT_TOOLS = new Map<string, (tool: JsonObject) => Definition>([
  ['shell', (tool) => ({ ...SHELL, description: SHELL.description + skillsOf(tool['environment']) })],
  ['local_shell', () => LOCAL_SHELL],
  ['apply_patch', () => APPLY_PATCH],
]);

/** The skills on the caller's machine (guide "Skills"): a model reads in a directory's SKILL.md how it is done. */
function skillsOf(environment: Json | undefined): string {
  const skills = asObjects(asObject(environment)?.['skills']).map(
    ({ name, description, path }) => `\n- ${asText(name)} (${asText(path)}): ${asText(description)}`,
  );
  if (skills.length === 0) return '';
  return ` Before work that one of these skills is for, read SKILL.md in its directory:${skills.join('')}`;
}

function texts(description: string) {
  return { type: 'array', items: { type: 'string' }, description };
}

function wholeNumber(description: string) {
  return { type: 'integer', minimum: 0, description };
}
