/**
 * What the vendors publish about their answers, as JSON Schemas: all required fields are there, and their types, words and
 * unions are right. Further fields are allowed, as in the vendors' own documents. The sources are the types of the vendors'
 * SDKs, which are made from these documents, and the types of Open Responses.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { FormatName } from '../../src/conversation/prompt.ts';
import {
  asObject,
  asObjects,
  asText,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
} from '../../src/lib/json.ts';
import type { Sse } from '../../src/streams/sse.ts';
import { type Amendments, schemasOf } from './sdk-schemas.ts';

interface Source {
  readonly module: string;
  readonly whole: string;
  readonly event: string;
  readonly amendments?: Amendments;
}

const BASE64: JsonObject = {
  type: 'string',
  pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
};

const SOURCES: Readonly<Record<FormatName, Source>> = {
  'chat-completions': {
    module: 'openai/resources/chat/completions/completions',
    whole: 'ChatCompletion',
    event: 'ChatCompletionChunk',
  },
  responses: {
    module: 'openai/resources/responses/responses',
    whole: 'Response',
    event: 'ResponseStreamEvent',
    amendments: {
      added: { Response: ['output_text'] },
      // Recorded of OpenAI: null as long as a response is open, and where the request has none.
      nullable: ['Response.usage', 'Response.user', 'ResponseFormatTextJSONSchemaConfig.description'],
      // Recorded of OpenAI.
      words: { 'ResponseError.code': ['context_length_exceeded', 'insufficient_quota'] },
    },
  },
  messages: {
    module: '@anthropic-ai/sdk/resources/messages/messages',
    whole: 'Message',
    event: 'RawMessageStreamEvent',
  },
  'generate-content': {
    module: '@google/genai/dist/genai',
    whole: 'GenerateContentResponse',
    event: 'GenerateContentResponse',
    amendments: {
      added: {
        GenerateContentResponse: [
          'sdkHttpResponse',
          'text',
          'data',
          'functionCalls',
          'executableCode',
          'codeExecutionResult',
          'initialPromptTokenCount',
        ],
      },
      fields: { 'Part.thoughtSignature': BASE64 },
    },
  },
};

/** Checks answers of one format. Each check returns what is wrong, and where. */
export interface PublishedSchema {
  whole(reply: Json): readonly string[];
  /** An event of a stream; one that no vendor documents (a comment, `[DONE]`, a ping) is passed over. */
  event(event: Sse): readonly string[];
  /** The names of the fields of a whole answer, and of each of its choices. */
  readonly fields: readonly string[];
}

/** Reads the schema of a format: this takes a second. */
export function publishedSchema(format: FormatName): PublishedSchema {
  const { module, whole, event, amendments } = SOURCES[format];
  const schemas = schemasOf(module, [whole, event], amendments);
  const sdk = compile(schemas);
  const open = format === 'responses' ? openResponses() : undefined;
  return {
    fields: answerFields(schemas, whole),
    whole: (reply) => [...sdk(whole, reply), ...(open?.('ResponseResource', reply) ?? [])],
    event({ data }) {
      if (data === '[DONE]') return [];
      const value = parseJson(data);
      const type = isObject(value) ? value['type'] : undefined;
      if (type === 'ping') return [];
      const at = (name: string): string => (type === undefined ? name : `${name}.${type}`);
      return [...sdk(at(event), value), ...(open?.(at('StreamingEvent'), value) ?? [])];
    },
  };
}

/** The names of the fields of a definition, and of the objects in its `choices` or `candidates`. */
function answerFields(schemas: JsonObject, name: string): readonly string[] {
  const properties = (schema: JsonObject | undefined): JsonObject => {
    const reference = asText(schema?.['$ref'])?.replace('#/$defs/', '');
    return reference === undefined
      ? (asObject(schema?.['properties']) ?? {})
      : properties(asObject(asObject(schemas['$defs'])?.[reference]));
  };
  const whole = properties({ $ref: `#/$defs/${name}` });
  const choices = asObject(whole['choices'] ?? whole['candidates']);
  const list = [choices, ...asObjects(choices?.['anyOf'])].find((schema) => schema?.['items'] !== undefined);
  return [...new Set([...Object.keys(whole), ...Object.keys(properties(asObject(list?.['items'])))])];
}

/** A check by a definition, which returns what is wrong. */
type Check = (name: string, value: Json) => readonly string[];

/**
 * The checks of Open Responses, by the names in its document: `ResponseResource`, `WebSocketErrorEvent` and so on. Events
 * of OpenAI that it does not have are no violation.
 */
export function openResponses(): Check {
  const schema = parseJson(readFileSync(join(import.meta.dirname, 'open-responses/schema.json'), 'utf8'));
  if (!isObject(schema)) throw new TypeError('A schema is an object.');
  const check = compile(schema);
  const definitions = asObject(schema['$defs']) ?? {};
  return (name, value) =>
    name.startsWith('StreamingEvent.') && definitions[name] === undefined ? [] : check(name, value);
}

/** A check by the definitions of a schema. What has no definition is wrong. */
function compile(schema: JsonObject): Check {
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
  ajv.addSchema({ ...schema, $id: 'published' });
  const definitions = asObject(schema['$defs']) ?? {};
  const checks = new Map<string, ValidateFunction>();
  return (name, value) => {
    if (definitions[name] === undefined) return [`there is no ${name}`];
    const check = checks.get(name) ?? ajv.compile({ $ref: `published#/$defs/${name}` });
    checks.set(name, check);
    return check(value) ? [] : describe(check.errors ?? [], value);
  };
}

/** Says what is wrong and where: of a union that nothing fits, only that; of a condition, only what it leads to. */
function describe(errors: readonly ErrorObject[], root: Json): readonly string[] {
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf');
  const isInUnion = ({ schemaPath, instancePath }: ErrorObject): boolean =>
    unions.some(
      (union) =>
        schemaPath !== union.schemaPath &&
        schemaPath.startsWith(union.schemaPath) &&
        instancePath.startsWith(union.instancePath),
    );
  const told = errors.filter((error) => error.keyword !== 'if' && !isInUnion(error));
  return (told.length > 0 ? told : errors).map(({ instancePath, message }) => {
    const keys = instancePath.split('/').slice(1);
    const value = keys.reduce<unknown>((held, key) => Object(held)[key], root);
    return `${instancePath || '/'} ${message}: ${JSON.stringify(value)?.slice(0, 120)}`;
  });
}
