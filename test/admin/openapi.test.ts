import { expect, test } from 'vitest';
import { adminRoutes } from '../../src/admin/app.ts';
import { adminPaths, adminSchemas, adminSecurity } from '../../src/admin/openapi.ts';
import { asList, asObject, type Json } from '../../src/json.ts';

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];

test('what is described is what is served', () => {
  const described = Object.entries(adminPaths()).map(([path, item]) => [
    path,
    Object.keys(asObject(item) ?? {})
      .filter((name) => METHODS.includes(name))
      .map((name) => name.toUpperCase())
      .sort(),
  ]);
  const served = Object.entries(adminRoutes).map(([path, methods]) => [path, Object.keys(methods).sort()]);
  expect(described).toEqual(served);
});

test('every reference leads somewhere, and every schema is used', () => {
  const referred = [...JSON.stringify(adminPaths()).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name]) => name,
  );
  expect(new Set(referred)).toEqual(new Set(Object.keys(adminSchemas())));
  expect(JSON.stringify(adminSchemas())).not.toContain('$ref');
});

test('every operation has its own id, a key, and the parameters of its path', () => {
  const ids: Json[] = [];
  for (const [path, item] of Object.entries(adminPaths())) {
    const { servers, parameters, ...operations } = asObject(item) ?? {};
    expect(servers).toHaveLength(1);
    expect(asList(parameters).map((parameter) => asObject(parameter)?.['name'])).toEqual(
      path.includes('{key}') ? ['key'] : [],
    );
    for (const operation of Object.values(operations)) {
      const { operationId, security, responses } = asObject(operation) ?? {};
      ids.push(operationId ?? null);
      expect(security).toEqual(Object.keys(adminSecurity).map((name) => ({ [name]: [] })));
      expect(Object.keys(asObject(responses) ?? {})).toEqual(expect.arrayContaining(['401', '503']));
    }
  }
  expect(new Set(ids).size).toBe(ids.length);
});
