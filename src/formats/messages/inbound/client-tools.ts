/**
 * Anthropic's tools that the caller runs, and whose input only its own models know by heart: bash, text editor, memory,
 * computer. For any other model they are tools like the caller's own, once somebody says what they take.
 *
 * Each type is what its documentation says (platform.claude.com/docs, agents-and-tools/tool-use), the input as these
 * have it: the commands of memory in the types of `@anthropic-ai/sdk` 1.11, and in its own store of files
 * (`tools/memory`); the others in anthropics/claude-quickstarts (`computer-use-demo`) and the schemas of
 * `@ai-sdk/anthropic`. One flat object each, for OpenAI refuses alternatives at the root.
 */

import type { JsonObject } from '../../../lib/json.ts';
import { asText, splitFields } from '../../../lib/json.ts';

interface Definition {
  readonly description: string;
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

interface ClientTool {
  /** Fields of its declaration that say how it is set, which the definition takes in. */
  readonly settings: readonly string[];
  readonly define: (settings: JsonObject) => Definition;
}

/**
 * A tool of Anthropic's that the caller runs as one of the caller's own, with a description and an `input_schema`, and
 * the fields that these stand for; undefined for any other tool, be it the caller's own or run by Anthropic.
 */
export function spelledOut(
  tool: JsonObject,
): { readonly tool: JsonObject; readonly shorthand: JsonObject } | undefined {
  const known = CLIENT_TOOLS.get(asText(tool['type']) ?? '');
  if (known === undefined) return undefined;
  const [shorthand, fields] = splitFields(tool, new Set(['type', ...known.settings]));
  const { description, properties, required } = known.define(shorthand);
  const input_schema = { type: 'object', properties, ...(required.length > 0 && { required }) };
  return { tool: { ...fields, description, input_schema }, shorthand };
}

const BASH: ClientTool = {
  settings: [],
  define: () => ({
    description:
      'Runs commands in a bash shell that stays open: the working directory and variables of one call are there in the ' +
      'next. Returns what was written to stdout and stderr. A command cannot be answered while it runs: use none that ' +
      'waits for input or needs a screen (editors, pagers, prompts for passwords). If the shell hangs or has died, call ' +
      'with `restart`.',
    properties: {
      command: text('The command to run. Required unless `restart` is true.'),
      restart: { type: 'boolean', description: 'True starts the shell anew; otherwise to be left out.' },
    },
    // Not even the command: there is none where the shell is started anew.
    required: [],
  }),
};

/** What the text editor and memory call by the same names. */
const EDITING = {
  view_range: {
    ...integers(2),
    description:
      'For `view` of a file: the first and the last line to show, counted from 1; [start, -1] shows all lines from ' +
      'start on. Left out, the whole file is shown.',
  },
  file_text: text('For `create`: all the text of the new file.'),
  old_str: text(
    'For `str_replace`: the text to replace, exactly as it stands in the file, with all white space, and with enough ' +
      'of what is around it to be there only once.',
  ),
  new_str: text('For `str_replace`: the text to put in its place; an empty one removes the old.'),
  insert_line: {
    type: 'integer',
    minimum: 0,
    description:
      'For `insert`: the number of the line after which the text goes; 0 is the beginning of the file.',
  },
  insert_text: text('For `insert`: the text to insert.'),
};

const EDITS =
  '`view` shows a file with numbers before its lines, or lists a directory. `create` makes a new file. `str_replace` ' +
  'replaces the one place where a text stands in a file. `insert` puts text after a line.';

/**
 * The text to insert is in `insert_text` from 20250429 on: so Claude writes it (vercel/ai#12111, asked with 20250429) and
 * so the reference implementation reads it (anthropics/claude-quickstarts#352, of 20250728). Before, it is in `new_str`:
 * so that implementation read it while it knew 20250124. Only then there is `undo_edit`.
 */
function textEditor(age: 'old' | 'new', settings: readonly string[] = []): ClientTool {
  const { insert_text, new_str, ...others } = EDITING;
  const isOld = age === 'old';
  return {
    settings,
    define: ({ max_characters: most }) => ({
      description:
        `Views, creates and edits text files. ${EDITS} ` +
        (isOld ? '`undo_edit` takes back the last edit of a file. ' : '') +
        'View a file before editing it.' +
        (typeof most === 'number'
          ? ` Of a file, ${most} characters are shown at most: \`view_range\` shows others.`
          : ''),
      properties: {
        command: {
          ...oneOf(['view', 'create', 'str_replace', 'insert', ...(isOld ? ['undo_edit'] : [])]),
          description: 'What to do.',
        },
        path: text('Absolute path of the file, or of the directory to view: `/repo/file.py`, `/repo`.'),
        ...others,
        ...(isOld
          ? { new_str: text(`${new_str.description} ${insert_text.description}`) }
          : { new_str, insert_text }),
      },
      required: ['command', 'path'],
    }),
  };
}

const MEMORY: ClientTool = {
  settings: [],
  define: () => ({
    // To look there first, and to write down what must not be lost: that Anthropic tells its own models by itself.
    description:
      'Keeps notes in files under /memories, which outlast this conversation. Before anything else, `view` /memories to ' +
      'see what earlier work has left there. While working, write down progress, decisions and what was learned: what ' +
      'is in no file may be lost at any moment. Keep the files few and in order, and delete what no longer holds. ' +
      `${EDITS} \`delete\` removes a file, or a directory with all that is in it. \`rename\` moves one to a path that ` +
      'is free.',
    properties: {
      command: {
        ...oneOf(['view', 'create', 'str_replace', 'insert', 'delete', 'rename']),
        description: 'What to do.',
      },
      path: text('For every command but `rename`: /memories, or a path that begins with /memories/.'),
      ...EDITING,
      old_path: text('For `rename`: the path as it is, under /memories.'),
      new_path: text('For `rename`: the path as it is to be, under /memories.'),
    },
    required: ['command'],
  }),
};

const FIRST_ACTIONS = {
  screenshot: 'shows the screen',
  cursor_position: 'tells where the pointer is',
  mouse_move: 'moves the pointer to `coordinate`',
  left_click: 'clicks where the pointer is',
  right_click: 'does so with the right button',
  middle_click: 'does so with the middle button',
  double_click: 'clicks twice where the pointer is',
  left_click_drag: 'drags from where the pointer is to `coordinate`',
  key: 'presses `text`, a key or several, as xdotool names them: `Return`, `ctrl+s`',
  type: 'types `text`',
};

const ACTIONS = {
  ...FIRST_ACTIONS,
  left_click: 'clicks at `coordinate`, or where the pointer is (`text` may name keys to hold meanwhile)',
  right_click: 'as `left_click`, with the right button',
  middle_click: 'as `left_click`, with the middle button',
  double_click: 'as `left_click`, twice',
  triple_click: 'as `left_click`, three times',
  left_click_drag: 'drags from `start_coordinate` to `coordinate`',
  left_mouse_down: 'presses the left button where the pointer is',
  left_mouse_up: 'lets it go',
  scroll: 'turns the wheel at `coordinate`, by `scroll_amount` clicks in `scroll_direction`',
  hold_key: 'holds the keys of `text` for `duration` seconds',
  wait: 'waits for `duration` seconds',
};

const FIRST_ACTION_INPUT = {
  coordinate: { ...integers(2), description: '[x, y], in pixels.' },
  text: text('What to type, or the keys to press.'),
};

const ACTION_INPUT = {
  ...FIRST_ACTION_INPUT,
  start_coordinate: { ...integers(2), description: 'For `left_click_drag`: [x, y] of where it begins.' },
  scroll_direction: { ...oneOf(['up', 'down', 'left', 'right']), description: 'For `scroll`.' },
  scroll_amount: { type: 'integer', minimum: 0, description: 'For `scroll`.' },
  duration: { type: 'number', minimum: 0, description: 'For `hold_key` and `wait`: seconds.' },
};

function computer(
  actions: Readonly<Record<string, string>>,
  input: JsonObject,
  zoom: readonly string[] = [],
): ClientTool {
  return {
    settings: ['display_width_px', 'display_height_px', 'display_number', ...zoom],
    define: (settings) => {
      const { display_width_px: width, display_height_px: height, display_number: display } = settings;
      const size = typeof width === 'number' && typeof height === 'number';
      const screen =
        (size ? ` of ${width} x ${height} pixels` : '') +
        (typeof display === 'number' ? ` (X11 display :${display})` : '');
      const zooms = zoom.some((field) => settings[field] === true);
      const all = { ...actions, ...(zooms && { zoom: 'shows `region` alone, in full resolution' }) };
      const meanings = Object.entries(all).map(([action, meaning]) => `\`${action}\` ${meaning}`);
      return {
        description:
          `Works a computer by its screen${screen}, its mouse and its keyboard. Places are pixels of that screen, counted ` +
          'from its top left corner, not a scale from 0 to 1 or 1000. Take a screenshot to see where things are before ' +
          'using them, aim at their middle, and take another to see what has come of it: programs may need a while.',
        properties: {
          action: { ...oneOf(Object.keys(all)), description: `${meanings.join('; ')}.` },
          ...input,
          ...(zooms && {
            region: { ...integers(4), description: 'For `zoom`: [x1, y1, x2, y2], in pixels.' },
          }),
        },
        required: ['action'],
      };
    },
  };
}

const CLIENT_TOOLS: ReadonlyMap<string, ClientTool> = new Map([
  ['bash_20241022', BASH],
  ['bash_20250124', BASH],
  ['text_editor_20241022', textEditor('old')],
  ['text_editor_20250124', textEditor('old')],
  ['text_editor_20250429', textEditor('new')],
  ['text_editor_20250728', textEditor('new', ['max_characters'])],
  ['memory_20250818', MEMORY],
  ['computer_20241022', computer(FIRST_ACTIONS, FIRST_ACTION_INPUT)],
  ['computer_20250124', computer(ACTIONS, ACTION_INPUT)],
  ['computer_20251124', computer(ACTIONS, ACTION_INPUT, ['enable_zoom'])],
]);

function text(description: string) {
  return { type: 'string', description };
}

function oneOf(values: readonly string[]) {
  return { type: 'string', enum: values };
}

function integers(count: number) {
  return { type: 'array', items: { type: 'integer' }, minItems: count, maxItems: count };
}
