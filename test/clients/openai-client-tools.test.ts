/** OpenAI's client tools, with OpenAI's own SDK, called by models of other vendors. */

import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import {
  CLAUDE,
  chatStream,
  chunk,
  claudeMessage,
  claudeStream,
  completion,
  GEMINI,
  gemini,
  geminiStream,
  json,
  QWEN,
  useDoor,
} from '../checklist/support.ts';
import { KEY } from '../support/gateway.ts';
import { SUBJECTS, useGateway } from './support.ts';

type Input = OpenAI.Responses.ResponseInputItem;
type Output = OpenAI.Responses.ResponseOutputItem;

const gateway = useGateway();
// The vendors of those two have this endpoint themselves.
const OTHERS = SUBJECTS.filter(({ model }) => !/^(?:openai|deepseek)\//.test(model));
const WAYS = OTHERS.flatMap(({ model }) => [
  { model, stream: false },
  { model, stream: true },
]);

const SHELL: OpenAI.Responses.FunctionShellTool = { type: 'shell', environment: { type: 'local' } };
const PATCH: OpenAI.Responses.ApplyPatchTool = { type: 'apply_patch' };

const clientAt = (url: string): OpenAI => new OpenAI({ baseURL: `${url}/v1`, apiKey: KEY, maxRetries: 0 });

/** The outputs of a caller's code, as the types define them. */
function outputOf(item: Output): readonly Input[] {
  switch (item.type) {
    case 'shell_call': {
      const { call_id, action } = item;
      const outcome = { type: 'exit', exit_code: 0 } as const;
      const output = action.commands.map((command) => ({ stdout: `ran ${command}\n`, stderr: '', outcome }));
      return [{ type: 'shell_call_output', call_id, output, max_output_length: action.max_output_length }];
    }
    case 'local_shell_call': {
      const { call_id: id, action } = item;
      return [{ type: 'local_shell_call_output', id, output: `ran ${action.command[0]}` }];
    }
    case 'apply_patch_call': {
      const { call_id, operation } = item;
      const [status, output] =
        operation.path === ''
          ? (['failed', 'There is no such file.'] as const)
          : (['completed', `Patched ${operation.path}.`] as const);
      return [{ type: 'apply_patch_call_output', call_id, status, output }];
    }
    default:
      return [];
  }
}

/** An item of an answer, as the next request contains it. */
function asInput(item: Output): readonly Input[] {
  switch (item.type) {
    case 'message':
    case 'reasoning':
    case 'shell_call':
    case 'local_shell_call':
    case 'apply_patch_call':
      return [item];
    default:
      return [];
  }
}

describe.each(WAYS)('$model, streamed: $stream', ({ model, stream }) => {
  const ask = async (
    input: Input[],
    more: Pick<OpenAI.Responses.ResponseCreateParams, 'model' | 'reasoning' | 'tools' | 'tool_choice'> = {},
  ): Promise<OpenAI.Responses.Response> => {
    const { responses } = clientAt(gateway().url);
    const request = { model, input, tools: [SHELL, PATCH], store: false, ...more };
    return stream ? await responses.stream(request).finalResponse() : await responses.create(request);
  };

  test('they are called one after another, answered, and the dialogue continues, also with OpenAI', async () => {
    const content = 'Use shell for "ls -la", then apply_patch to delete_file "a.txt", then say so.';
    const input: Input[] = [{ role: 'user', content }];
    const called: unknown[] = [];
    let response = await ask(input);
    while (response.output.some((item) => outputOf(item).length > 0) && called.length < 5) {
      for (const item of response.output) {
        if (item.type === 'shell_call') called.push(item.action.commands[0]);
        if (item.type === 'apply_patch_call') called.push(item.operation);
      }
      input.push(...response.output.flatMap(asInput), ...response.output.flatMap(outputOf));
      response = await ask(input);
    }
    expect(called).toEqual(['ls -la', { type: 'delete_file', path: 'ls -la' }]);
    expect(response.output_text).toContain('> Patched ls -la.');
    input.push(...response.output.flatMap(asInput), { role: 'user', content: 'Thanks!' });
    const last = await ask(input, { model: 'openai/gpt-5.4', reasoning: { effort: 'low' } });
    expect(last.output_text).toContain('> Thanks!');
  });

  test('one can be forced, and so can the earlier shell tool', async () => {
    const input: Input[] = [{ role: 'user', content: 'Hello!' }];
    const typesOf = ({ output }: OpenAI.Responses.Response): readonly string[] =>
      output.flatMap(({ type }) => (type.endsWith('_call') ? [type] : []));
    expect(typesOf(await ask(input, { tool_choice: { type: 'shell' } }))).toEqual(['shell_call']);
    expect(typesOf(await ask(input, { tool_choice: { type: 'apply_patch' } }))).toEqual(['apply_patch_call']);
    const tools = [{ type: 'local_shell' as const }];
    const old = await ask(input, { tools, tool_choice: 'required' });
    expect(typesOf(old)).toEqual(['local_shell_call']);
    const { output_text } = await ask(
      [...input, ...old.output.flatMap(asInput), ...old.output.flatMap(outputOf)],
      { tools },
    );
    expect(output_text).toContain('> ran ');
  });
});

describe('a call that matches no operation is answered like others, and the dialogue continues', () => {
  const door = useDoor();
  const written = { type: 'rename_file', path: 'a.txt' };
  const failed = 'There is no such file.';
  const call = { name: 'apply_patch', arguments: JSON.stringify(written) };
  const toolCall = { id: 'call_1', type: 'function', function: call };
  const functionCall = { functionCall: { name: 'apply_patch', args: written } };
  const toolUse = { type: 'tool_use', id: 'toolu_1', name: 'apply_patch', input: written };

  test.each([
    {
      model: QWEN,
      whole: json(completion({ content: null, tool_calls: [toolCall] }, 'tool_calls')),
      stream: chatStream(
        chunk({ role: 'assistant', tool_calls: [{ index: 0, ...toolCall }] }),
        chunk({}, 'tool_calls'),
      ),
      sent: {
        messages: [
          {},
          { tool_calls: [{ function: { name: 'apply_patch' } }] },
          { role: 'tool', content: `Error: ${failed}` },
        ],
      },
    },
    {
      model: CLAUDE,
      whole: json(claudeMessage([toolUse], 'tool_use')),
      stream: claudeStream(
        [
          [
            { ...toolUse, input: {} },
            { type: 'input_json_delta', partial_json: call.arguments },
          ],
        ],
        'tool_use',
      ),
      sent: {
        messages: [
          {},
          { content: [{ type: 'tool_use', name: 'apply_patch', input: { path: '', diff: call.arguments } }] },
          { content: [{ type: 'tool_result', is_error: true }] },
        ],
      },
    },
    {
      model: GEMINI,
      whole: json(gemini([functionCall], 'STOP')),
      stream: geminiStream(gemini([functionCall], 'STOP')),
      sent: {
        contents: [
          {},
          { parts: [{ functionCall: { name: 'apply_patch' } }] },
          { parts: [{ functionResponse: { name: 'apply_patch', response: { error: failed } } }] },
        ],
      },
    },
  ])('$model', async ({ model, whole, stream, sent }) => {
    const { responses } = clientAt(door.url());
    const input: Input[] = [{ role: 'user', content: 'Rename a.txt.' }];
    const request = { model, input, tools: [SHELL, PATCH] };
    door.answers(whole);
    const answers = [await responses.create(request)];
    door.answers(stream);
    answers.push(await responses.stream(request).finalResponse());
    for (const { output } of answers) {
      const operation = { type: 'update_file', path: '', diff: call.arguments };
      expect(output).toMatchObject([{ type: 'apply_patch_call', status: 'completed', operation }]);
      await responses
        .create({ ...request, input: [...input, ...output.flatMap(asInput), ...output.flatMap(outputOf)] })
        .catch(() => undefined);
      expect(door.sent()).toMatchObject(sent);
    }
  });
});
