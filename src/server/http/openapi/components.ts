/**
 * The document's named schemas, each made from a zod schema. The schemas of the admin API and of the model lists are
 * those that the gateway itself reads and answers by. The schemas of the four formats hold only what the gateway needs
 * or promises, and every object is open, since the vendor documents the other fields; they are exported under their
 * names in the document.
 */

import { z } from 'zod';
import { exchangeView } from '../../../accounting/usage/list-exchanges.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { auditEntry } from '../../../store/audit-view.ts';
import { groupSettings, keySettings, newGroup, newKey } from '../../../store/keys/key-settings.ts';
import { groupView, keyView } from '../../../store/keys/key-view.ts';
import { errorBody } from '../admin/answers.ts';
import { auditList } from '../admin/audit-route.ts';
import { budgetList } from '../admin/budget-route.ts';
import { configList } from '../admin/config-route.ts';
import { erased } from '../admin/erase-route.ts';
import { exchangeList } from '../admin/exchanges-route.ts';
import { groupList } from '../admin/group-routes.ts';
import { keyList, madeKey, rotation } from '../admin/key-routes.ts';
import { sessionView } from '../admin/sign-in-routes.ts';
import { usageAnswer } from '../admin/usage-route.ts';
import { callerKey } from '../caller-key.ts';
import { health } from '../health.ts';
import {
  googleModel,
  googleModelList,
  listedModel,
  modelList,
  modelPrices,
  pricedModels,
} from '../model-views.ts';
import * as chatCompletions from './schemas/chat-completions.ts';
import * as errors from './schemas/errors.ts';
import * as generateContent from './schemas/generate-content.ts';
import * as messages from './schemas/messages.ts';
import * as responses from './schemas/responses.ts';

const requests = {
  NewKey: newKey,
  KeySettings: keySettings,
  Rotation: rotation,
  NewGroup: newGroup,
  GroupSettings: groupSettings,
} as const;

const answers = {
  // Their requests too: an open object without defaults reads alike in both directions.
  ...chatCompletions,
  ...responses,
  ...messages,
  ...generateContent,
  ...errors,
  Model: listedModel,
  ModelList: modelList,
  GoogleModel: googleModel,
  GoogleModelList: googleModelList,
  Prices: modelPrices,
  PricedModels: pricedModels,
  CallerKey: callerKey,
  Health: health,
  Key: keyView,
  MadeKey: madeKey,
  KeyList: keyList,
  Group: groupView,
  GroupList: groupList,
  Exchange: exchangeView,
  ExchangeList: exchangeList,
  BudgetList: budgetList,
  Erased: erased,
  AuditEntry: auditEntry,
  AuditList: auditList,
  ConfigList: configList,
  Session: sessionView,
  Usage: usageAnswer,
  AdminError: errorBody,
} as const;

export type SchemaName = keyof typeof requests | keyof typeof answers;

/**
 * @returns every schema by name, in JSON Schema 2020-12 (the dialect of OpenAPI 3.1). Schemas refer to each other by
 *   `$ref`.
 */
export function componentSchemas(): JsonObject {
  return { ...renderSchemas(answers, 'output'), ...renderSchemas(requests, 'input') };
}

function renderSchemas(schemas: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output'): JsonObject {
  const named = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) named.add(schema, { id });
  const { schemas: rendered } = z.toJSONSchema(named, {
    io,
    uri: (id) => `#/components/schemas/${id}`,
    // A TypeScript `readonly` is not JSON Schema's `readOnly`, which is about who may send a field.
    override: ({ jsonSchema }) => {
      delete jsonSchema.readOnly;
    },
  });
  return Object.fromEntries(
    Object.entries(rendered).map(([id, { $schema: _, $id: __, ...schema }]) => [id, asJson(schema)]),
  );
}

/** @returns a zod schema as self-contained JSON Schema that describes the schema's input */
export function toJsonSchema(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return asJson(rest);
}

function asJson(schema: object): JsonObject {
  const value: JsonObject = JSON.parse(JSON.stringify(schema));
  return value;
}

/** @returns a `$ref` object to the schema of that name */
export function schemaAt(name: SchemaName): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

const names = new Map<z.ZodType, string>(
  Object.entries({ ...requests, ...answers }).map(([name, schema]) => [schema, name]),
);

/**
 * @returns a `$ref` object to a schema that has a name in the document
 * @throws Error if the schema has no name
 */
export function refTo(schema: z.ZodType): JsonObject {
  const name = names.get(schema);
  if (name === undefined) throw new Error('The schema has no name in the OpenAPI document.');
  return { $ref: `#/components/schemas/${name}` };
}
