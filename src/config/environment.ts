/** The fields of a configuration that environment variables set. */

import type { Environment } from '../lib/environment.ts';
import { mapLeaves } from './map-leaves.ts';

/** The fields of a configuration as they are written, not yet checked. */
export type Fields = Readonly<Record<string, unknown>>;

/** A variable, and the field that it sets. */
interface Variable {
  readonly name: string;
  readonly path: readonly string[];
  readonly isNumber?: true;
  readonly isSecret?: true;
}

/** The vendors by the beginning of their variables, as their own documents and SDKs name the key. */
const VENDORS = {
  OPENAI: 'openai',
  ANTHROPIC: 'anthropic',
  GEMINI: 'google',
  MISTRAL: 'mistralai',
  DEEPSEEK: 'deepseek',
  XAI: 'x-ai',
  ZAI: 'z-ai',
  DASHSCOPE: 'qwen',
  MOONSHOT: 'moonshotai',
  MINIMAX: 'minimax',
  PERPLEXITY: 'perplexity',
  COHERE: 'cohere',
  COMPATIBLE: 'compatible',
};

/** A service with models of all vendors, which `compatible` is for. Its address is set with its key. */
const OPENROUTER = { variable: 'OPENROUTER_API_KEY', baseUrl: 'https://openrouter.ai/api/v1' };

const VARIABLES: readonly Variable[] = [
  { name: 'HOST', path: ['host'] },
  { name: 'PORT', path: ['port'], isNumber: true },
  { name: 'WORKERS', path: ['workers'], isNumber: true },
  { name: 'GATEWAY_LOG', path: ['log'] },
  { name: 'HTTPS_PROXY', path: ['proxy', 'url'] },
  { name: 'https_proxy', path: ['proxy', 'url'] },
  { name: 'NO_PROXY', path: ['proxy', 'except'] },
  { name: 'no_proxy', path: ['proxy', 'except'] },
  { name: 'DATABASE_URL', path: ['store', 'url'], isSecret: true },
  { name: 'GATEWAY_STORE_PATH', path: ['store', 'path'] },
  { name: 'REDIS_URL', path: ['redis', 'url'], isSecret: true },
  { name: 'GATEWAY_ADMIN_KEY', path: ['admin', 'key'], isSecret: true },
  { name: 'GATEWAY_ADMIN_HOST', path: ['admin', 'host'] },
  { name: 'GATEWAY_ADMIN_PORT', path: ['admin', 'port'], isNumber: true },
  ...Object.entries(VENDORS).flatMap(([prefix, vendor]) => [
    { name: `${prefix}_API_KEY`, path: ['vendors', vendor, 'apiKey'], isSecret: true as const },
    { name: `${prefix}_BASE_URL`, path: ['vendors', vendor, 'baseUrl'] },
  ]),
];

/** This variable adds a key to those of the file. The key is named like the variable. */
const KEY = 'GATEWAY_API_KEY';

/** Variables that hold a secret. Each may be in a file of its own instead (`OPENAI_API_KEY_FILE`). */
export const SECRETS: readonly string[] = [
  KEY,
  OPENROUTER.variable,
  ...VARIABLES.filter(({ isSecret }) => isSecret).map(({ name }) => name),
];

/**
 * The text of a variable; undefined if it is empty, or a link that Kubernetes sets in each pod for the services beside it
 * (`enableServiceLinks`): one named `gateway-admin` becomes GATEWAY_ADMIN_PORT=tcp://10.0.0.11:8788.
 */
function readVariable({ name, isNumber }: Variable, environment: Environment): string | undefined {
  const text = environment[name] || undefined;
  return isNumber && text?.startsWith('tcp://') ? undefined : text;
}

/** The fields of a file, overridden by the environment. An empty variable counts as not set. */
export function withEnvironment(file: Fields, environment: Environment): Fields {
  let values = withOpenRouter(file, environment);
  for (const variable of VARIABLES) {
    const { path, isNumber } = variable;
    const text = readVariable(variable, environment);
    if (text === undefined) continue;
    values = put(values, path, isNumber ? numberIn(text) : text);
  }
  const key = environment[KEY];
  if (!key) return values;
  return { ...values, keys: [...(Array.isArray(file['keys']) ? file['keys'] : []), { name: KEY, key }] };
}

/** The number that a text is. Any other text stays a text, so that the schema reports that a number is expected. */
export function numberIn(text: string): number | string {
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

/** OpenRouter's key serves where nothing else is set for `compatible`. */
function withOpenRouter(file: Fields, environment: Environment): Fields {
  const apiKey = environment[OPENROUTER.variable];
  const { compatible } = record(file['vendors']);
  const isTaken =
    compatible !== undefined || environment['COMPATIBLE_API_KEY'] || environment['COMPATIBLE_BASE_URL'];
  if (!apiKey || isTaken) return file;
  return put(file, ['vendors', 'compatible'], { apiKey, baseUrl: OPENROUTER.baseUrl });
}

/** The variable that set the field at `path` of the result of `withEnvironment`; undefined if the file did. */
export function findVariable(
  path: readonly PropertyKey[],
  values: Fields,
  environment: Environment,
): string | undefined {
  const [first, second] = path;
  const keys = values['keys'];
  if (first === 'keys' && Array.isArray(keys) && Object(keys[Number(second)])['name'] === KEY) return KEY;
  return VARIABLES.findLast(
    (variable) =>
      readVariable(variable, environment) !== undefined && variable.path.join('.') === path.join('.'),
  )?.name;
}

/** A field that refers to a variable that is not set, or in a form that is not read. */
interface Unfilled {
  readonly path: readonly string[];
  readonly message: string;
}

/** What `filledIn` makes of a data file. */
interface Filled {
  readonly values: Fields;
  /** The fields whose variable is not set, is empty, or is written in a form of other programs, such as `${NAME:-default}`. */
  readonly unfilled: readonly Unfilled[];
  /** The paths, joined by dots, of fields that are one variable and nothing else: the schema may expect a number there. */
  readonly fromVariables: ReadonlySet<string>;
}

/** The message about a variable in a form of other programs. It quotes nothing: a default may be a secret. */
const OTHER_FORM = `a variable is written as \${NAME}, without a default or anything else between the braces`;

/**
 * The values of a data file, with `${NAME}` in any text replaced by the variable NAME, so that keys need not be in the
 * file. Times that stand there without quotes (YAML, TOML) become text, as in JSON.
 */
export function filledIn(file: Fields, environment: Environment): Filled {
  const unfilled: Unfilled[] = [];
  const fromVariables = new Set<string>();
  const fillText = (text: string, path: readonly string[]): string =>
    text.replaceAll(/\$\{(\w*)(\}?)/g, (written, name: string, end: string, at: number) => {
      if (name === '' || end === '') {
        // It would be sent as a key.
        if (text.includes('}', at)) unfilled.push({ path, message: OTHER_FORM });
        return written;
      }
      const found = environment[name];
      if (!found) unfilled.push({ path, message: `the variable ${name} is not set` });
      if (written === text) fromVariables.add(path.join('.'));
      return found ?? '';
    });
  const values = mapLeaves(file, (value, path) => {
    if (typeof value === 'string') return fillText(value, path);
    return value instanceof Date ? value.toISOString() : value;
  });
  return { values, unfilled, fromVariables };
}

function put(values: Fields, [first = '', ...rest]: readonly string[], value: unknown): Fields {
  return { ...values, [first]: rest.length === 0 ? value : put(record(values[first]), rest, value) };
}

function record(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
