/**
 * A request as code to paste elsewhere. The code holds no key. It reads the key from an environment variable, and its
 * first line says how to set that variable. (`GATEWAY_API_KEY` is another variable, which gives the gateway itself a
 * key.)
 */

import type { FormatName } from '../formats/dialogue.ts';
import { getFormat } from '../formats/formats.ts';
import { isObject } from '../formats/json.ts';
import type { SentRequest } from './conversation.ts';

export type CodeKind = 'curl' | 'javascript' | 'python';

const KEY = 'KEY';
const HINT = `Your key of this gateway: export ${KEY}=gw_…`;

export interface CodeRequest extends SentRequest {
  readonly format: FormatName;
  readonly model: string;
}

/** @param origin the address of the gateway, without a slash at its end */
export function toCode(kind: CodeKind, request: CodeRequest, origin: string): string {
  if (kind === 'curl') return `# ${HINT}\n${curl(request, origin)}`;
  return kind === 'python'
    ? `# ${HINT}\n${python(request, origin)}`
    : `// ${HINT}\n${javascript(request, origin)}`;
}

function curl({ format, path, body }: CodeRequest, origin: string): string {
  const headers = Object.entries(getFormat(format).headers(`$${KEY}`)).map(
    ([name, value]) => ` -H "${name}: ${value}" \\\n`,
  );
  const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
  return `curl -N '${origin}${path}' \\\n${headers.join('')} -H "content-type: application/json" \\\n -d '${json}'\n`;
}

function javascript({ format, model, body }: CodeRequest, origin: string): string {
  const key = `process.env.${KEY}`;
  const json = JSON.stringify(body, null, 2);
  switch (format) {
    case 'messages':
      return `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${origin}', apiKey: ${key} });
const stream = await client.messages.create(${json});
for await (const event of stream) {
  if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') process.stdout.write(event.delta.text);
}
`;
    case 'generate-content':
      return `import { GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({ apiKey: ${key}, httpOptions: { baseUrl: '${origin}' } });
const stream = await client.models.generateContentStream(${JSON.stringify(googleArguments(model, body), null, 2)});
for await (const chunk of stream) process.stdout.write(chunk.text ?? '');
`;
    case 'responses':
      return `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: ${key} });
const stream = await client.responses.create(${json});
for await (const event of stream) {
  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta);
}
`;
    default:
      return `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: ${key} });
const stream = await client.chat.completions.create(${json});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');
`;
  }
}

function python({ format, model, body }: CodeRequest, origin: string): string {
  const key = `os.environ["${KEY}"]`;
  switch (format) {
    case 'messages':
      return `import os
from anthropic import Anthropic

client = Anthropic(base_url="${origin}", api_key=${key})
stream = client.messages.create(**${pythonLiteral(body)})
for event in stream:
    if event.type == "content_block_delta" and event.delta.type == "text_delta":
        print(event.delta.text, end="", flush=True)
`;
    case 'generate-content':
      return `import os
from google import genai

client = genai.Client(api_key=${key}, http_options={"base_url": "${origin}"})
stream = client.models.generate_content_stream(**${pythonLiteral(googleArguments(model, body))})
for chunk in stream:
    print(chunk.text or "", end="", flush=True)
`;
    case 'responses':
      return `import os
from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=${key})
stream = client.responses.create(**${pythonLiteral(body)})
for event in stream:
    if event.type == "response.output_text.delta":
        print(event.delta, end="", flush=True)
`;
    default:
      return `import os
from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=${key})
stream = client.chat.completions.create(**${pythonLiteral(body)})
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)
`;
  }
}

/** Google's SDKs take the model and the contents as they are, and all other fields of a request in one flat `config`. */
function googleArguments(
  model: string,
  { contents, generationConfig, ...rest }: SentRequest['body'],
): object {
  return {
    model: model.replace(/^google\//i, ''),
    contents,
    config: { ...rest, ...(isObject(generationConfig) && generationConfig) },
  };
}

/**
 * Writes a JSON value as a Python literal.
 * @param depth levels of indentation inside the value
 */
function pythonLiteral(value: unknown, depth = 1): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null || value === undefined) return 'None';
  if (typeof value !== 'object') return JSON.stringify(value);
  const pad = '    '.repeat(depth);
  const end = '    '.repeat(depth - 1);
  const inner = Array.isArray(value)
    ? value.map((item) => `${pad}${pythonLiteral(item, depth + 1)},\n`)
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([name, item]) => `${pad}${JSON.stringify(name)}: ${pythonLiteral(item, depth + 1)},\n`);
  if (inner.length === 0) return Array.isArray(value) ? '[]' : '{}';
  return Array.isArray(value) ? `[\n${inner.join('')}${end}]` : `{\n${inner.join('')}${end}}`;
}
