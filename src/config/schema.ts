/** The fields of a configuration (`gateway.config.ts`, `.json`, `.yaml`). Durations are in milliseconds. */

import { z } from 'zod';
import { modelSchema } from '../catalog/model.ts';
import { isTimeZone } from '../lib/calendar.ts';
import { corsOrigins, postgresUrl, proxyExceptions, proxyUrl, redisUrl } from './addresses.ts';
import { serverTlsSchema } from './certificates.ts';
import { milliseconds } from './durations.ts';
import { hooksSchema } from './hooks-schema.ts';
import { gatewayKey, groupSchema, identitySchema, keySchema } from './key-schema.ts';
import { ejectionSchema, retriesSchema } from './retry-schema.ts';
import { signInSchema } from './sign-in-schema.ts';
import { modelId, vendorName, vendorSchema } from './vendor-schema.ts';

/**
 * A model that the catalog lacks, or a replacement for one of the catalog. Fields that are only shown to people may be
 * left out.
 */
const ownModel = modelSchema
  .unwrap()
  .extend({ name: z.string().min(1).exactOptional(), created: modelSchema.unwrap().shape.created.default(0) })
  .transform((model) => ({ name: model.id.slice(model.id.indexOf('/') + 1), ...model }))
  .readonly();

/** Models to use instead of a model, or of all that have no list of their own. */
const fallbackLists = z.record(
  z.string().regex(/^(?:\*|[^/\s]+\/[^/\s]+)$/, 'must be <vendor>/<model_name>, <vendor>/* or *'),
  z.array(modelId),
);

/** The whole configuration. */
export const configSchema = z.strictObject({
  /** The address of this file's JSON schema, for editors. */
  $schema: z.string().exactOptional(),
  /** The address to listen at. `0.0.0.0` is all addresses of IPv4, `::` those of IPv6 too. */
  host: z.string().min(1).default('127.0.0.1'),
  /** The port to listen at. 0: any that is free. */
  port: z.number().int().min(0).max(65_535).default(8787),
  /** The number of processes that serve. */
  workers: z.number().int().min(1).max(256).default(1),
  /** The vendors that serve, by the names with which the ids of their models begin. */
  vendors: z.record(vendorName, vendorSchema).default({}),
  /** Models to add to the default catalog. A model with the same id is replaced. */
  models: z.array(ownModel).default([]),
  /** Further names of models: alias to id, both `<vendor>/<model_name>`. */
  aliases: z.record(z.string(), z.string()).default({}),
  /**
   * Models to use instead, in order, if one cannot answer: full ids. `<vendor>/*` is the list for all other models of a
   * vendor, `*` for all others. Models that the caller's key does not allow are skipped.
   */
  fallbacks: fallbackLists.default({}),
  /**
   * The same if the prompt is too long for a model, which then need not refuse it. Coding agents wait for that refusal
   * to shorten their dialogue.
   */
  longPromptFallbacks: fallbackLists.default({}),
  /** The same if a model refuses what the prompt says, by the content policy of its vendor. */
  contentPolicyFallbacks: fallbackLists.default({}),
  /** Which models the Gemini endpoint serves: those of Google, or all. */
  generateContent: z
    .strictObject({
      /** `google`: Google's own. `all`: those of every vendor. */
      models: z.enum(['google', 'all']).default('google'),
    })
    .prefault({}),
  /** For which models the endpoints that count tokens answer. */
  countTokens: z
    .strictObject({
      /** `native`: those whose service speaks the endpoint's format. `all`: all whose service can count. */
      models: z.enum(['native', 'all']).default('native'),
    })
    .prefault({}),
  retries: retriesSchema.prefault({}),
  ejection: ejectionSchema.prefault({}),
  /** Keys for callers, besides those that are stored. */
  keys: z.array(keySchema).default([]),
  /** Groups of keys, besides those that are stored. */
  groups: z.array(groupSchema).default([]),
  /** Identity providers whose tokens callers may use instead of a key. */
  identities: z.array(identitySchema).default([]),
  /** The certificate with which callers are served over https. Absent: plain http. */
  tls: serverTlsSchema.exactOptional(),
  /** How much the gateway takes on. */
  limits: z
    .strictObject({
      /** The longest body of a request in bytes, compressed or not. */
      bodyBytes: z
        .number('must be a number of bytes')
        .int()
        .positive()
        .default(32 * 1024 * 1024),
      /** Requests in flight, divided evenly among workers. Further ones get a 503. */
      inFlight: z.number().int().positive().default(10_000),
      /** Requests in flight of one key, divided evenly among workers. Further ones get a 429. */
      inFlightPerKey: z.number().int().positive().default(5_000),
      /** Open WebSockets, divided evenly among workers. */
      webSockets: z.number().int().positive().default(10_000),
      /** Open WebSockets of one key, divided evenly among workers. */
      webSocketsPerKey: z.number().int().positive().default(1_000),
      /**
       * Bytes that are held for requests, messages and answers that are not complete, divided evenly among workers. It is
       * at most a quarter of the memory, but always enough for two bodies.
       */
      pendingBytes: z
        .number()
        .int()
        .positive()
        .default(512 * 1024 * 1024),
      /** The same for one key. */
      pendingBytesPerKey: z
        .number()
        .int()
        .positive()
        .default(128 * 1024 * 1024),
      /** The delay of the event loop, in milliseconds, above which new work is refused. */
      eventLoopDelay: milliseconds.min(1).default(500),
      /** The share of the memory above which new work is refused. */
      memory: z.number().gt(0).max(1).default(0.85),
      /** The share of the file descriptors above which new work is refused. */
      fileDescriptors: z.number().gt(0).max(1).default(0.8),
    })
    .prefault({}),
  /** How long to wait for what, in milliseconds. 0 is no limit for a vendor's answer (`firstByte`, `idle`, `quiet`, `total`). */
  timeouts: z
    .strictObject({
      /** Until a connection to a vendor is open. */
      connect: milliseconds.default(5_000),
      /** Until the first byte of a vendor's answer. */
      firstByte: milliseconds.default(600_000),
      /** Between two chunks of a vendor's answer. */
      idle: milliseconds.default(120_000),
      /** How long a stream may consist of keep-alives only. */
      quiet: milliseconds.default(600_000),
      /** From the first request to a vendor until the end of the answer. */
      total: milliseconds.default(1_800_000),
      /** How long a request waits for an upstream whose `connections` are all in use. */
      pool: milliseconds.default(100),
      /** Silence after which a translated stream sends a keep-alive. */
      keepAlive: milliseconds.min(1).default(15_000),
      /** How long the head of a stream waits for the first content, so that a failure can have its own status or be retried. */
      hold: milliseconds.default(10_000),
      /** How long a caller may take to send the head of a request. */
      requestHead: milliseconds.default(10_000),
      /** How long a caller may take to send the body of a request, or a WebSocket message. */
      requestBody: milliseconds.default(60_000),
      /** How long a caller's connection is kept between two requests. A load balancer in front must close it sooner. */
      connectionIdle: milliseconds.default(130_000),
      /** How long a caller may leave the pending bytes of an answer unread. */
      unread: milliseconds.default(60_000),
      /** At shutdown: how long to keep accepting requests while load balancers notice. */
      preDrain: milliseconds.default(0),
      /** At shutdown: how long live answers may take. */
      drain: milliseconds.default(600_000),
    })
    .prefault({}),
  /** Where keys and usage are stored: PostgreSQL at `url`, or else the SQLite file `path`. */
  store: z
    .strictObject({
      /** The SQLite file. */
      path: z.string().min(1).default('.gateway/gateway.db'),
      url: postgresUrl.exactOptional(),
      /** How long a start waits for a PostgreSQL that cannot be reached yet. */
      wait: milliseconds.default(60_000),
    })
    .prefault({}),
  /**
   * Redis or Valkey, through which several machines share limits. Without it, each process counts by itself, and
   * workers divide the limits evenly.
   */
  redis: z
    .strictObject({
      url: redisUrl.exactOptional(),
    })
    .prefault({}),
  /** How usage and cost are recorded. */
  usage: z
    .strictObject({
      /** How often records are written, in milliseconds. */
      interval: milliseconds.min(1).default(500),
      /** How many records are written at once. */
      batch: z.int().min(1).max(10_000).default(2_000),
      /** How many records may wait in memory. */
      queue: z.int().min(1).default(50_000),
      /** Bytes of further records that may wait in files next to the store. */
      spool: z
        .int()
        .nonnegative()
        .default(64 * 1024 * 1024),
      /** The IANA time zone of days, in reports, and of the days, weeks and months of budgets. */
      timeZone: z
        .string()
        .refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin')
        .default('UTC'),
      /** How many days single exchanges are kept. The sums of each day stay. */
      keepDays: z.number().nonnegative().default(90),
      /** How many days the sums are kept, in whole months. Absent: for ever. */
      keepSumDays: z.number().positive().exactOptional(),
      /** For which keys the gateway asks native streams for usage if the caller did not: those with limits on it, or all. */
      ask: z.enum(['limited', 'always']).default('limited'),
    })
    .prefault({}),
  /** The audit trail of changes to keys and groups. */
  audit: z
    .strictObject({
      /** How many days its entries are kept. Absent: for ever. */
      keepDays: z.number().positive().exactOptional(),
    })
    .prefault({}),
  /** The admin API, on a port of its own. Without a key it is off. */
  admin: z
    .strictObject({
      /** The key that callers of the admin API send, and that opens the console there. */
      key: gatewayKey.min(16, 'must have at least 16 characters').max(512).exactOptional(),
      /** The address to listen at. */
      host: z.string().min(1).default('127.0.0.1'),
      /** The port to listen at. 0: any that is free. */
      port: z.number().int().min(0).max(65_535).default(8788),
      /** The certificate for https on this port. */
      tls: serverTlsSchema.exactOptional(),
      /** Sign-in for the console by an identity provider (OpenID Connect), beside the key. */
      signIn: signInSchema.exactOptional(),
    })
    .prefault({}),
  /** The proxy to vendors and identity providers at https addresses. */
  proxy: z
    .strictObject({
      url: proxyUrl.exactOptional(),
      /** Hosts and networks that are reached without the proxy. */
      except: proxyExceptions.default(''),
    })
    .prefault({}),
  /** Functions of one's own before and after (`conversation/hooks.ts`). Only a configuration in code can have them. */
  hooks: hooksSchema.exactOptional(),
  /** Answers that are kept and given again to the same request. Absent: none are. */
  cache: z
    .strictObject({
      /** The names of keys and groups for whose requests it is used; others ask for it by a header. */
      keys: z.array(z.string().min(1)).default([]),
      /** Whether keys get each other's answers. */
      shared: z.boolean().default(false),
      /** Seconds that an answer is kept. */
      seconds: z.int().min(1).max(31_536_000).default(3_600),
      /** Where answers are kept: in each process, or in the Redis at `redis.url`. */
      store: z.enum(['memory', 'redis']).default('memory'),
      /** The most that answers in memory may take. */
      bytes: z
        .int()
        .positive()
        .default(64 * 1024 * 1024),
    })
    .exactOptional(),
  /** Which pages may call the gateway from a browser. */
  cors: z.strictObject({ origins: corsOrigins.default('*') }).prefault({}),
  /** Whether translated streams are checked by the protocol validator as they are sent. Violations are counted in a metric. */
  validate: z.boolean().default(false),
  /** The style of the access log. `auto` is pretty on a terminal, else JSON. */
  log: z.enum(['auto', 'json', 'pretty', 'none']).default('auto'),
  /** How fast simulated vendors answer. */
  sandbox: z
    .strictObject({
      /** `realistic`: word by word, as models do. `none`: without delay. */
      pace: z.enum(['realistic', 'none']).default('realistic'),
    })
    .prefault({}),
});

/** A configuration with its defaults filled in. */
export type Config = z.output<typeof configSchema>;
/** A configuration as a file writes it: fields with a default may be absent. */
export type ConfigInput = z.input<typeof configSchema>;
