/** The text editor and the memory tool, which edit files by the same commands. */

import { type ClientTool, enumSchema, integers, text } from './definition.ts';

/** Fields that the text editor and the memory tool share. */
const EDITING = {
  view_range: {
    ...integers(2),
    description:
      'For `view` of a file: the first and the last line to show, counted from 1. With [start, -1], the view ends with ' +
      'the last line. Without it, the whole file is shown.',
  },
  file_text: text('For `create`: the whole text of the new file.'),
  old_str: text(
    'For `str_replace`: the text to replace, exactly as it is in the file, including white space, and with enough ' +
      'context to occur only once.',
  ),
  new_str: text('For `str_replace`: the replacement. An empty text removes the old one.'),
  insert_line: {
    type: 'integer',
    minimum: 0,
    description:
      'For `insert`: the number of the line after which to insert the text; 0 is the beginning of the file.',
  },
  insert_text: text('For `insert`: the text to insert.'),
};

const EDITS =
  '`view` shows a file with numbers before its lines, or lists a directory. `create` makes a new file. `str_replace` ' +
  'replaces a text that occurs once in a file. `insert` inserts text after a line.';

/**
 * Makes the text editor of one generation. From 20250429 on, the text to insert is in `insert_text`: Claude writes it there
 * (vercel/ai#12111, with 20250429) and the reference implementation reads it there (anthropics/claude-quickstarts#352, of
 * 20250728). Before, it is in `new_str`, where that implementation read it while it supported 20250124. Only the old
 * generation has `undo_edit`.
 */
export function textEditor(generation: 'old' | 'new', settings: readonly string[] = []): ClientTool {
  const { insert_text, new_str, ...others } = EDITING;
  const isOld = generation === 'old';
  return {
    settings,
    define: ({ max_characters: limit }) => ({
      description:
        `Views, creates and edits text files. ${EDITS} ` +
        (isOld ? '`undo_edit` reverts the last edit of a file. ' : '') +
        'View a file before editing it.' +
        (typeof limit === 'number'
          ? ` A view shows at most ${limit} characters of a file: \`view_range\` shows others.`
          : ''),
      properties: {
        command: {
          ...enumSchema(['view', 'create', 'str_replace', 'insert', ...(isOld ? ['undo_edit'] : [])]),
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

/** The memory tool: files under /memories. */
export const MEMORY: ClientTool = {
  settings: [],
  define: () => ({
    // Anthropic itself tells its own models to look there first, and to write down what must not be lost.
    description:
      'Keeps notes in files under /memories, which outlast this conversation. Before anything else, `view` /memories to ' +
      'see what earlier work has left there. While working, write down progress, decisions and findings: whatever is in ' +
      'no file may be lost at any moment. Keep the files few and in order, and delete what is no longer true. ' +
      `${EDITS} \`delete\` removes a file, or a directory with its contents. \`rename\` moves one to a path that does ` +
      'not exist yet.',
    properties: {
      command: {
        ...enumSchema(['view', 'create', 'str_replace', 'insert', 'delete', 'rename']),
        description: 'What to do.',
      },
      path: text('For every command except `rename`: /memories, or a path that begins with /memories/.'),
      ...EDITING,
      old_path: text('For `rename`: the current path, under /memories.'),
      new_path: text('For `rename`: the new path, under /memories.'),
    },
    required: ['command'],
  }),
};
