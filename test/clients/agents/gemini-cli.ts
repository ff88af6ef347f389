/** Gemini CLI: generateContent, with signed calls, no thoughts in the history, safety settings. */

import { asObject, asObjects, asText, type JsonObject } from '../../../src/lib/json.ts';
import { sign } from '../../../src/sandbox/signatures.ts';
import { PNG } from '../support.ts';
import { type Agent, asked, history, output } from './agent.ts';

const TOOLS = ['run_shell_command', 'replace'] as const;

const declared = (name: string, properties: JsonObject, required: readonly string[]): JsonObject => ({
  name,
  description: `${name}: a tool of the agent.`,
  parametersJsonSchema: { type: 'object', properties, required },
});

export const geminiCli: Agent = {
  name: 'Gemini CLI',
  format: 'generate-content',
  home: 'google/gemini-3-flash-preview',
  headers: {
    'user-agent': 'GeminiCLI/0.40.0/gemini-3-flash-preview (linux; x64)',
    'x-goog-api-client': 'google-genai-sdk/2.32.0 gl-node/v24.21.0',
  },
  tools: TOOLS,
  path: (model, stream) =>
    `/v1beta/models/${model.replace('google/', '')}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: (model, steps) => ({
    systemInstruction: { role: 'user', parts: [{ text: 'Be brief.\n'.repeat(500) }] },
    contents: [
      {
        role: 'user',
        parts: [{ text: 'This is the folder.' }, { inlineData: { mimeType: 'image/png', data: PNG } }],
      },
      { role: 'model', parts: [{ text: 'Got it.' }] },
      { role: 'user', parts: [{ text: 'Have a look around.' }] },
      ...history(steps, (step) => [
        {
          role: 'model',
          parts: [
            { text: `Looking at step ${step}.` },
            {
              functionCall: { name: 'run_shell_command', args: { command: `sed -n ${step}p a.ts` } },
              thoughtSignature: sign('google', 'run_shell_command'),
            },
            { functionCall: { name: 'read_file', args: { path: 'a.ts' } } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { name: 'run_shell_command', response: { output: output(step) } } },
            { functionResponse: { name: 'read_file', response: { error: 'no such file' } } },
          ],
        },
      ]),
      { role: 'model', parts: [{ text: 'Done with that.' }] },
      { role: 'user', parts: [{ text: asked(TOOLS) }] },
    ],
    tools: [
      {
        functionDeclarations: [
          declared('run_shell_command', { command: { type: 'string' } }, ['command']),
          declared('replace', { path: { type: 'string' }, times: { type: 'integer', minimum: 1 } }, ['path']),
          declared('read_file', { path: { type: 'string' } }, ['path']),
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
    safetySettings: ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT'].map((name) => ({
      category: `HARM_CATEGORY_${name}`,
      threshold: 'BLOCK_NONE',
    })),
    generationConfig: {
      temperature: 1,
      topP: 0.95,
      topK: 64,
      thinkingConfig: {
        includeThoughts: true,
        ...(model.includes('gemini-3') ? { thinkingLevel: 'HIGH' } : { thinkingBudget: 8192 }),
      },
    },
  }),
  after: (body, answer) => {
    const content = asObject(asObjects(answer['candidates'])[0]?.['content']) ?? {};
    // It keeps the model's text and calls; it shows the thoughts, and drops them.
    const parts = asObjects(content['parts']).filter(({ thought }) => thought !== true);
    const results = parts.flatMap(({ functionCall }): JsonObject[] => {
      const call = asObject(functionCall);
      if (call === undefined) return [];
      const { id, name } = call;
      const response = { output: output(0) };
      return [{ functionResponse: { name: asText(name) ?? '', response, ...(id !== undefined && { id }) } }];
    });
    return {
      ...body,
      contents: [...asObjects(body['contents']), { ...content, parts }, { role: 'user', parts: results }],
    };
  },
};
