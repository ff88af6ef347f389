/** What a configuration may say (`gateway.config.ts`, `.json`, `.yaml`). Durations are milliseconds. */

import { z } from 'zod';
import { modelSchema } from '../catalog/model.ts';

const milliseconds = z.number().int().nonnegative();
const formatName = z.enum(['chat-completions', 'responses', 'messages', 'generate-content']);

/** Something a header may hold: a key with a line break in it would be a header of its own. */
const headerValue = z.string().regex(/^[\t\x20-\x7e]*$/, 'may hold printable ASCII only');

const vendorSchema = z.strictObject({
  baseUrl: z.url({ protocol: /^https?$/ }).optional(),
  apiKey: headerValue.min(1).optional(),
  auth: z.enum(['authorization', 'x-api-key', 'x-goog-api-key']).optional(),
  formats: z.tuple([formatName], formatName).optional(),
  fullIds: z.boolean().optional(),
  dialect: z.string().optional(),
  headers: z.record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/), headerValue).optional(),
});

const keySchema = z
  .strictObject({
    name: z.string().min(1),
    key: z.string().min(8).max(512).optional(),
    hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex')
      .optional(),
    models: z
      .array(z.string().regex(/^[^/\s]+\/[^/\s]+$/, 'must be <vendor>/<model_name> or <vendor>/*'))
      .optional(),
  })
  .refine((key) => (key.key === undefined) !== (key.hash === undefined), 'needs either key or hash');

export const configSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  port: z.number().int().min(0).max(65_535).default(8787),
  /** Processes that serve. */
  workers: z.number().int().min(1).max(256).default(1),
  vendors: z.record(z.string(), vendorSchema).default({}),
  /** Models to add, or to put in the place of the default catalog's of the same id. */
  models: z.array(modelSchema).default([]),
  /** Further names: alias to id, both `<vendor>/<model_name>`. */
  aliases: z.record(z.string(), z.string()).default({}),
  keys: z.array(keySchema).default([]),
  limits: z
    .strictObject({
      bodyBytes: z
        .number()
        .int()
        .positive()
        .default(32 * 1024 * 1024),
      /** Requests in flight, of one process: in all, and of one key. */
      inFlight: z.number().int().positive().default(10_000),
      inFlightPerKey: z.number().int().positive().default(5_000),
      /** From where on new work is refused: how late the event loop may be, and shares of what there is. */
      eventLoopDelay: milliseconds.min(1).default(500),
      memory: z.number().gt(0).max(1).default(0.85),
      fileDescriptors: z.number().gt(0).max(1).default(0.8),
    })
    .prefault({}),
  timeouts: z
    .strictObject({
      connect: milliseconds.default(5_000),
      firstByte: milliseconds.default(600_000),
      idle: milliseconds.default(120_000),
      keepAlive: milliseconds.min(1).default(15_000),
      hold: milliseconds.default(10_000),
      /** Callers: how long a request's head, its whole body, and a connection between two requests may take. */
      requestHead: milliseconds.default(10_000),
      requestBody: milliseconds.default(60_000),
      connectionIdle: milliseconds.default(75_000),
      /** How long a caller may leave unread what waits for it. */
      unread: milliseconds.default(60_000),
      /** At the end: how long to go on accepting while balancers learn of it, and to wait for live answers. */
      preDrain: milliseconds.default(0),
      drain: milliseconds.default(600_000),
    })
    .prefault({}),
  cors: z.strictObject({ origins: z.union([z.literal('*'), z.array(z.string())]).default('*') }).prefault({}),
  /** The access log: `auto` is pretty on a terminal and JSON elsewhere. */
  log: z.enum(['auto', 'json', 'pretty', 'none']).default('auto'),
  sandbox: z.strictObject({ pace: z.enum(['realistic', 'none']).default('realistic') }).prefault({}),
});

export type Config = z.output<typeof configSchema>;
/** What a configuration file exports. */
export type ConfigInput = z.input<typeof configSchema>;
