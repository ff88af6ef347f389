/** Anthropic's tools that the caller runs, for models that do not know them by heart. */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { describeClientTool } from '../../../src/formats/describe-client-tool.ts';
import { parseRequest } from '../../../src/formats/messages/inbound/parse-request.ts';
import type { Json, JsonObject } from '../../../src/lib/json.ts';
import { asObject, asText } from '../../../src/lib/json.ts';

const SCREEN = { display_width_px: 1024, display_height_px: 768, display_number: 1 };
const PATH = '/repo/a.py';
const VIEWS = [
  { command: 'view', path: PATH, view_range: [11, -1] },
  { command: 'view', path: '/repo' },
];
const EDITS = [
  { command: 'create', path: PATH, file_text: 'a\n' },
  { command: 'str_replace', path: PATH, old_str: 'a', new_str: 'b' },
];
const OLD_EDITS = [
  ...VIEWS,
  ...EDITS,
  { command: 'insert', path: PATH, insert_line: 0, new_str: 'c\n' },
  { command: 'undo_edit', path: PATH },
];
const NEW_EDITS = [...VIEWS, ...EDITS, { command: 'insert', path: PATH, insert_line: 2, insert_text: 'c\n' }];
const FIRST_ACTIONS = [
  { action: 'screenshot' },
  { action: 'mouse_move', coordinate: [10, 20] },
  { action: 'left_click' },
  { action: 'key', text: 'ctrl+s' },
];
const ACTIONS = [
  ...FIRST_ACTIONS,
  { action: 'left_click', coordinate: [10, 20], text: 'shift' },
  { action: 'left_click_drag', start_coordinate: [1, 2], coordinate: [3, 4] },
  { action: 'scroll', coordinate: [1, 2], scroll_direction: 'down', scroll_amount: 3 },
  { action: 'hold_key', text: 'shift', duration: 1.5 },
  { action: 'wait', duration: 2 },
];
const ZOOM = { action: 'zoom', region: [0, 0, 400, 300] };

interface Case {
  readonly tool: JsonObject;
  /** All fields that the input may have. */
  readonly fields: string;
  readonly inputs: readonly JsonObject[];
  readonly refused: readonly JsonObject[];
  readonly says: string;
}

/** Each type with inputs from its documentation. */
const CASES: readonly Case[] = [
  ...['bash_20241022', 'bash_20250124'].map((type) => ({
    tool: { type, name: 'bash' },
    fields: 'command restart',
    inputs: [{ command: 'ls -la *.py' }, { restart: true }],
    refused: [{ command: ['ls'] }],
    says: 'stdout',
  })),
  ...['text_editor_20241022', 'text_editor_20250124'].map((type) => ({
    tool: { type, name: 'str_replace_editor' },
    fields: 'command file_text insert_line new_str old_str path view_range',
    inputs: OLD_EDITS,
    refused: [{ command: 'view' }, { command: 'delete', path: PATH }],
    says: 'undo_edit',
  })),
  ...['text_editor_20250429', 'text_editor_20250728'].map((type) => ({
    tool: { type, name: 'str_replace_based_edit_tool' },
    fields: 'command file_text insert_line insert_text new_str old_str path view_range',
    inputs: NEW_EDITS,
    refused: [
      { command: 'undo_edit', path: PATH },
      { command: 'view', path: PATH, view_range: [1] },
    ],
    says: 'View a file before',
  })),
  {
    tool: { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 10_000 },
    fields: 'command file_text insert_line insert_text new_str old_str path view_range',
    inputs: NEW_EDITS,
    refused: [],
    says: '10000 characters',
  },
  {
    tool: { type: 'memory_20250818', name: 'memory' },
    fields: 'command file_text insert_line insert_text new_path new_str old_path old_str path view_range',
    inputs: [
      ...NEW_EDITS,
      { command: 'delete', path: '/memories/a.md' },
      { command: 'rename', old_path: '/memories/a.md', new_path: '/memories/b.md' },
    ],
    refused: [{ path: '/memories' }, { command: 'undo_edit', path: PATH }],
    says: '/memories',
  },
  {
    tool: { type: 'computer_20241022', name: 'computer', ...SCREEN },
    fields: 'action coordinate text',
    inputs: FIRST_ACTIONS,
    refused: [{ action: 'scroll' }, { coordinate: [1, 2] }],
    says: '1024 x 768 pixels (X11 display :1)',
  },
  {
    tool: { type: 'computer_20250124', name: 'computer', ...SCREEN },
    fields: 'action coordinate duration scroll_amount scroll_direction start_coordinate text',
    inputs: ACTIONS,
    refused: [ZOOM, { action: 'left_click', coordinate: [1, 2, 3] }],
    says: '1024 x 768 pixels',
  },
  {
    tool: { type: 'computer_20251124', name: 'computer', ...SCREEN },
    fields: 'action coordinate duration scroll_amount scroll_direction start_coordinate text',
    inputs: ACTIONS,
    refused: [ZOOM],
    says: '1024 x 768 pixels',
  },
  {
    tool: { type: 'computer_20251124', name: 'computer', ...SCREEN, enable_zoom: true },
    fields: 'action coordinate duration region scroll_amount scroll_direction start_coordinate text',
    inputs: [...ACTIONS, ZOOM],
    refused: [{ action: 'zoom', region: [1, 2] }],
    says: '1024 x 768 pixels',
  },
];

function schemaOf(tool: JsonObject): JsonObject {
  return asObject(describeClientTool(tool)?.tool['input_schema']) ?? {};
}

describe.each(CASES)('$tool.type', ({ tool, fields, inputs, refused, says }) => {
  const schema = schemaOf(tool);
  const takes = (input: JsonObject): boolean => z.fromJSONSchema(schema).safeParse(input).success;

  test('accepts the inputs of its documentation, and nothing else', () => {
    const known = Object.keys(asObject(schema['properties']) ?? {}).sort();
    expect(known.join(' ')).toBe(fields);
    expect(inputs.filter((input) => !takes(input))).toEqual([]);
    expect(inputs.flatMap(Object.keys).filter((field) => !known.includes(field))).toEqual([]);
    expect(refused.filter(takes)).toEqual([]);
  });

  test('is one flat object, with a description no longer than OpenAI accepts', () => {
    expect(schema['type']).toBe('object');
    for (const keyword of ['anyOf', 'oneOf', 'allOf', '$ref']) {
      expect(JSON.stringify(schema)).not.toContain(`"${keyword}"`);
    }
    const description = asText(describeClientTool(tool)?.tool['description']) ?? '';
    expect(description).toContain(says);
    expect(description.length).toBeLessThanOrEqual(1024);
  });

  test('becomes a function with its own name, and its description contains the settings', () => {
    const { tool: spelled, shorthand } = describeClientTool(tool) ?? { tool: {}, shorthand: {} };
    const { name, ...settings } = tool;
    expect(shorthand).toEqual(settings);
    expect(parsed(tool)).toEqual({
      kind: 'function',
      name,
      description: asText(Object(spelled)['description']),
      parameters: schema,
      shorthand: { format: 'messages', fields: settings },
    });
  });
});

test('its further fields are treated like those of any other tool', () => {
  const bash = {
    type: 'bash_20250124',
    name: 'bash',
    strict: true,
    cache_control: { type: 'ephemeral' },
    eager_input_streaming: true,
    allowed_callers: ['direct'],
    input_examples: [{ command: 'ls' }],
    max_characters: 3,
  };
  expect(parsed(bash)).toMatchObject({
    strict: true,
    cacheBreakpoint: {},
    formatSpecific: {
      format: 'messages',
      fields: {
        eager_input_streaming: true,
        allowed_callers: ['direct'],
        input_examples: [{ command: 'ls' }],
      },
    },
    // It has no meaning here, so the vendor refuses it.
    unknownFields: { max_characters: 3 },
  });
});

test('tools that Anthropic runs, toolsets and unknown versions stay unchanged', () => {
  for (const type of [
    'web_fetch_20250910',
    'code_execution_20250825',
    'tool_search_tool_bm25_20251119',
    'computer_toolset_20260801',
    'bash_20991231',
    'constructor',
  ]) {
    expect(parsed({ type, name: 'x' }), type).toEqual({
      kind: 'hosted',
      format: 'messages',
      value: { type, name: 'x' },
    });
  }
});

test('a tool without a name is refused in the wording of the vendor', () => {
  expect(() => parsed({ type: 'bash_20250124' })).toThrow('tools.0.bash_20250124.name: Field required');
});

test('a tool that is added during a conversation is offered at its end', () => {
  const definition = { type: 'memory_20250818', name: 'memory' };
  const change = (type: string, tool: Json): JsonObject => ({ role: 'system', content: [{ type, tool }] });
  const reference = { type: 'tool_reference', name: 'bash' };
  const messages = [
    { role: 'user', content: 'Hi' },
    change('tool_removal', reference),
    change('tool_addition', { type: 'tool_definition', definition }),
  ];
  const tools = [{ type: 'bash_20250124', name: 'bash' }];
  const prompt = parseRequest({ model: 'm', max_tokens: 9, tools, messages }, () => undefined);
  expect(prompt.tools).toEqual([parsed(definition)]);
});

test('the tool choice may name it', () => {
  const tools = [{ type: 'bash_20250124', name: 'bash' }];
  const tool_choice = { type: 'tool', name: 'bash' };
  const messages = [{ role: 'user', content: 'Hi' }];
  const prompt = parseRequest({ model: 'm', max_tokens: 9, messages, tools, tool_choice }, () => undefined);
  expect(prompt.toolChoice).toEqual({ mode: 'required', allowed: ['bash'] });
});

function parsed(tool: JsonObject): unknown {
  const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], tools: [tool] };
  return parseRequest(body, () => undefined).tools?.[0];
}
