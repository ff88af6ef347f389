/**
 * A request as code to paste elsewhere. The code holds no key. It reads the key from an environment variable, and its
 * first line says how to set that variable. (`GATEWAY_API_KEY` is another variable, which gives the gateway itself a
 * key.)
 */

/** @import { Settings, WireFormat } from './dialogue.js' */

const KEY = 'KEY';
const HINT = `Your key of this gateway: export ${KEY}=gw_…`;

/**
 * @param {string} kind `curl`, `javascript` or `python`
 * @param {WireFormat} format
 * @param {Settings} settings
 * @param {Record<string, unknown>} body
 * @param {string} origin the address of the gateway, without a slash at its end
 * @returns {string}
 */
export function snippet(kind, format, settings, body, origin) {
  if (kind === 'curl') return `# ${HINT}\n${curl(format, settings, body, origin)}`;
  return kind === 'python'
    ? `# ${HINT}\n${python(format, settings, body, origin)}`
    : `// ${HINT}\n${javascript(format, settings, body, origin)}`;
}

/**
 * @param {WireFormat} format
 * @param {Settings} settings
 * @param {Record<string, unknown>} body
 * @param {string} origin
 */
function curl(format, settings, body, origin) {
  const headers = Object.entries(format.headers(`$${KEY}`)).map(
    ([name, value]) => ` -H "${name}: ${value}" \\\n`,
  );
  const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
  return `curl -N ${origin}${format.path(settings)} \\\n${headers.join('')} -H "content-type: application/json" \\\n -d '${json}'\n`;
}

/**
 * @param {WireFormat} format
 * @param {Settings} settings
 * @param {Record<string, unknown>} body
 * @param {string} origin
 */
function javascript({ name }, settings, body, origin) {
  const key = `process.env.${KEY}`;
  const json = JSON.stringify(body, null, 2);
  switch (name) {
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
const stream = await client.models.generateContentStream(${JSON.stringify(googleArguments(settings, body), null, 2)});
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

/**
 * @param {WireFormat} format
 * @param {Settings} settings
 * @param {Record<string, unknown>} body
 * @param {string} origin
 */
function python({ name }, settings, body, origin) {
  const key = `os.environ["${KEY}"]`;
  switch (name) {
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
stream = client.models.generate_content_stream(**${pythonLiteral(googleArguments(settings, body))})
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

/**
 * Google's SDKs take the model and the contents as they are, and all other fields of a request in one flat `config`.
 * @param {Settings} settings
 * @param {Record<string, unknown>} body
 */
function googleArguments({ model }, { contents, generationConfig, ...rest }) {
  return {
    model: model.replace(/^google\//i, ''),
    contents,
    config: { ...rest, .../** @type {object} */ (generationConfig) },
  };
}

/**
 * Writes a JSON value as a Python literal.
 * @param {unknown} value
 * @param {number} [depth] levels of indentation inside the value
 * @returns {string}
 */
function pythonLiteral(value, depth = 1) {
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
