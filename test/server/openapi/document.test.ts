/** The document by itself: it is valid OpenAPI 3.1 and consistent. */

import { expect, test } from 'vitest';
import { asObject, asObjects, asText, isList, isObject, type Json } from '../../../src/lib/json.ts';
import { openApi } from '../../../src/server/http/openapi/document.ts';
import { operationsOf } from './operations.ts';
import { at, problemsOf } from './validator.ts';

const document = openApi();
const operations = operationsOf(document);

test('it is JSON, and of OpenAPI 3.1', () => {
  expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  expect(document['openapi']).toMatch(/^3\.1\.\d+$/);
  expect(asObject(document['info'])?.['version']).toMatch(/^\d+\.\d+\.\d+$/);
});

test('every reference resolves', () => {
  let references = 0;
  const walk = (value: Json | undefined): void => {
    if (isList(value)) for (const entry of value) walk(entry);
    if (!isObject(value)) return;
    const pointer = value['$ref'];
    if (typeof pointer === 'string') {
      references += 1;
      at(document, pointer);
    }
    for (const entry of Object.values(value)) walk(entry);
  };
  walk(document);
  expect(references).toBeGreaterThan(100);
});

test('every component is used', () => {
  const text = JSON.stringify([document['paths'], at(document, '#/components/schemas')]);
  for (const kind of ['schemas', 'headers']) {
    for (const name of Object.keys(at(document, `#/components/${kind}`)))
      expect(text.includes(`"#/components/${kind}/${name}"`), name).toBe(true);
  }
  for (const name of Object.keys(at(document, '#/components/securitySchemes')))
    expect(text.includes(`"${name}":[]`), name).toBe(true);
});

test('every operation has a unique name, a summary, a known tag, and its security', () => {
  const ids = operations.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const tags = new Set(asObjects(document['tags']).map(({ name }) => name));
  for (const { id, description } of operations) {
    expect(id, id).toMatch(/^[a-z]\w+$/i);
    expect(description['summary'], id).toBeTruthy();
    expect(isList(description['security']), id).toBe(true);
    const [tag] = isList(description['tags']) ? description['tags'] : [];
    expect(tags.has(tag), id).toBe(true);
  }
});

test('every name in braces in a path is a parameter, and the path has no others', () => {
  for (const { id, path, description } of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const parameters = asObjects(description['parameters']).filter((one) => one['in'] === 'path');
    expect(
      parameters.map(({ name }) => name),
      id,
    ).toEqual(inPath);
    for (const parameter of parameters) expect(parameter['required']).toBe(true);
  }
});

test('every response has a description', () => {
  for (const { id, responses } of operations) {
    expect(Object.keys(responses).length, id).toBeGreaterThan(0);
    for (const [status, response] of Object.entries(responses)) {
      expect(status, id).toMatch(/^(?:[1-5]\d\d|default)$/);
      expect(asText(response['description']), `${id} ${status}`).toBeTruthy();
    }
  }
});

test('the schemas can tell valid from invalid', () => {
  const chat = at(document, '#/components/schemas/ChatCompletionsRequest');
  const good = { model: 'openai/gpt-4.1', messages: [{ role: 'user', content: 'Hi' }], anything: [1] };
  expect(problemsOf(document, chat, good)).toBeUndefined();
  expect(problemsOf(document, chat, { ...good, messages: [] })).toBeDefined();
  expect(problemsOf(document, chat, { messages: good.messages })).toBeDefined();
  const messages = at(document, '#/components/schemas/MessagesRequest');
  expect(problemsOf(document, messages, good)).toContain('max_tokens');
});
