/** What a configuration may say (`gateway.config.ts`, `.json`, `.yaml`). Durations are milliseconds. */

import { z } from 'zod';
import { modelSchema } from '../catalog/model.ts';
import { FORMAT_NAMES } from '../conversation/prompt.ts';
import { areOfOtherModels } from '../store/key-limits.ts';
import { STORED } from '../store/stored-scope.ts';
import { isNobodys } from '../upstream/addresses.ts';
import { SANDBOX } from '../upstream/vendor.ts';
import { credentialsSchema } from './credentials.ts';
import { hasAddressOfKeys, hasLimitedCallers, identityFields } from './identity-fields.ts';

const milliseconds = z.number('must be a number of milliseconds').int().nonnegative();
const formatName = z.enum(FORMAT_NAMES);

/** Something a header may hold: a key with a line break in it would be a header of its own. */
const headerValue = z.string().regex(/^[\t\x20-\x7e]*$/, 'must be printable ASCII');

/**
 * A vendor's key. Files often end in a line break, and Docker's `--env-file` takes the quotes around a value for a part of
 * it.
 */
const vendorKey = z
  .string()
  .min(1)
  .regex(/^[\t\x20-\x7e]*$/, 'must be printable ASCII without line breaks, such as one at its end')
  .regex(/^(?!(["']).*\1$)/, 'must not stand in quotes: they would be sent with it');

/** A key of the gateway's own. One with a space or a line break in it, as files often end in, could never be sent. */
const ownKey = z.string().regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without spaces or line breaks');

/** Where a vendor is. A name that turns to such an address is refused when it connects. */
const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be http://… or https://…' })
  .refine(
    (url) => !URL.canParse(url) || !isNobodys(url),
    'must not be a link-local, multicast or cloud metadata address',
  )
  .refine((url) => !hasMore(url), 'must not have a user, a ?query or a #fragment, which would not be sent');

/** Whether there is more in an address than where a request goes. */
function hasMore(url: string): boolean {
  const { username = '', password = '', search = '', hash = '' } = URL.parse(url) ?? {};
  return username + password + search + hash !== '';
}

/** Whether a user and a password in an address can be told: a bare `%` in one ends the start with an error of a library's. */
function isEscaped(url: string): boolean {
  const { username = '', password = '' } = URL.parse(url) ?? {};
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

const ESCAPED = 'must have special characters in the password percent-encoded (@ as %40)';

/** As HTTPS_PROXY has it, where many write no scheme. */
const proxyUrl = z.preprocess(
  (said) => (typeof said === 'string' && !said.includes('://') ? `http://${said}` : said),
  z
    .url({ protocol: /^(?:https?|socks5?)$/, error: 'must be http://…, https://… or socks5://…' })
    .refine(isEscaped, ESCAPED),
);

/** As PostgreSQL's own clients take it, without a host where `host=` names the directory of its socket (Cloud SQL). */
export const postgresUrl = z.preprocess(
  (said) =>
    typeof said === 'string' ? said.replace(/^(postgres(?:ql)?:\/\/[^/?#@]*@)\//, '$1localhost/') : said,
  z.url({
    protocol: /^postgres(?:ql)?$/,
    error: 'must be postgres://…, with special characters in the password percent-encoded (@ as %40)',
  }),
);

/**
 * What a vendor calls models, where a cloud or a deployment has names of its own: by the model's name or its full id; `*`
 * is all others, and stands for the model's name in what they are called.
 */
const names = z.record(z.string(), z.string().min(1).max(256));

/** The header that a key goes into. */
const auth = z.enum(['authorization', 'x-api-key', 'x-goog-api-key']);

/** Whether a vendor is shown one thing alone. */
function isKeyedOnce({
  apiKey,
  credentials,
}: {
  readonly apiKey?: unknown;
  readonly credentials?: unknown;
}): boolean {
  return apiKey === undefined || credentials === undefined;
}

const KEYED_ONCE = { path: ['apiKey'], error: 'cannot be set where there are credentials' };

/** One more address or key of a vendor. */
const upstreamSchema = z
  .strictObject({
    /** Absent: the vendor's. */
    baseUrl: baseUrl.optional(),
    apiKey: vendorKey.optional(),
    /** What `apiKey` was read from. */
    apiKeyFile: z.string().exactOptional(),
    credentials: credentialsSchema.exactOptional(),
    /** How much more than one of weight 1 it is asked for. */
    weight: z.number().positive().max(1_000).default(1),
    /** Absent: the vendor's. */
    auth: auth.exactOptional(),
    names: names.exactOptional(),
  })
  .refine(isKeyedOnce, KEYED_ONCE)
  .refine(({ apiKey, credentials }) => apiKey !== undefined || credentials !== undefined, {
    path: ['apiKey'],
    error: 'is required where there are no credentials',
  });

const vendorSchema = z
  .strictObject({
    baseUrl: baseUrl.optional(),
    apiKey: vendorKey.optional(),
    apiKeyFile: z.string().exactOptional(),
    /** What it is shown instead of a key: a cloud's, which the gateway has, and has anew before they end. */
    credentials: credentialsSchema.exactOptional(),
    auth: auth.exactOptional(),
    formats: z.tuple([formatName], formatName).optional(),
    fullIds: z.boolean().optional(),
    dialect: z.string().optional(),
    headers: z
      .record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'is not the name of a header'), headerValue)
      .optional(),
    names: names.exactOptional(),
    /**
     * Which translated requests have Claude cache what they begin with: those whose caller counts on a cache; `agents` also
     * dialogues in which tools are called again and again; `always` all. What is written to the cache costs a quarter more
     * once, and a tenth whenever it is read. Absent: `agents` at Anthropic itself, `asked` at a cloud.
     */
    caching: z.enum(['asked', 'agents', 'always']).exactOptional(),
    /** Further addresses or keys beside `baseUrl` and `apiKey`: of all of them, the least busy one is asked. */
    upstreams: z.array(upstreamSchema).default([]),
    /** Exchanges at a time with each of them; what is more waits for `timeouts.pool`, then is refused. Absent: any. */
    connections: z.number().int().positive().optional(),
  })
  .refine(isKeyedOnce, KEYED_ONCE);

/** A vendor's name, as ids of models begin with it. */
const vendorName = z
  .string()
  .regex(/^[^/\s\p{Lu}]+$/u, 'the name of a vendor must be in lower case, without slashes or spaces')
  .refine(
    (name) => name !== SANDBOX,
    'must be another name than sandbox, which stands for simulated vendors',
  );

/** A full id, as the catalog has it. */
const modelId = z.string().regex(/^[^/\s]+\/[^/\s]+$/, 'must be <vendor>/<model_name>');

const ORIGINS =
  'must be "*", or a list of origins like "https://chat.example.com", without a path or wildcards';

/** Whether a browser may send this as the `Origin` of a page (WHATWG HTML, 7.1.1): any other never matches. */
function isOrigin(said: string): boolean {
  const { protocol = '', origin } = URL.parse(said) ?? {};
  if (said.includes('*')) return false;
  // Those of apps and of browsers' extensions are none to `URL`.
  return /^https?:$/.test(protocol) ? origin === said : /^(?:null|[a-z][\w+.-]*:\/\/[^/?#]*)$/.test(said);
}

const corsOrigins = z
  .union([z.literal('*'), z.array(z.string())], ORIGINS)
  .transform((said) => (said.includes('*') ? '*' : said))
  .refine((said) => said === '*' || (Array.isArray(said) && said.every(isOrigin)), ORIGINS);

/** What is asked again, and when. An answer of which the caller has seen anything is never asked for again. */
const retriesSchema = z.strictObject({
  /** Requests to vendors, beyond the first, that one request may cost: at other upstreams, of other models, again. */
  limit: z.number().int().min(0).max(2).default(1),
  /**
   * After which failures a vendor is asked again.
   * `rejected`: it did nothing, for it was not reached or said so (408, 409, 429 with Retry-After, 503, 529).
   * `reset`: also where its connection closed without a byte of an answer, which it may have worked on, and bill.
   * `failed`: also after 500, 502, 504, too long a wait, and an answer that broke before its first event.
   */
  after: z.enum(['rejected', 'reset', 'failed']).default('reset'),
  /** The wait before asking the same upstream again is random, up to this, doubled each time, up to `longest`. */
  wait: milliseconds.default(250),
  longest: milliseconds.default(2_000),
  /** A longer `Retry-After` is not waited for but told to the caller. */
  retryAfter: milliseconds.default(5_000),
  /** Retries of an upstream, as a share of its requests, and always so many a second. */
  share: z.number().min(0).max(1).default(0.1),
  perSecond: z.number().nonnegative().default(3),
});

/** When one of several upstreams of a vendor is left alone for a while. */
const ejectionSchema = z.strictObject({
  /** Failures in a row after which it is. 0: never. */
  failures: z.number().int().nonnegative().default(5),
  /** The share of failures after which it is, where at least `requests` of them came in `window`. 1: never. */
  share: z.number().gt(0).max(1).default(0.5),
  requests: z.number().int().positive().default(20),
  window: milliseconds.min(1).default(30_000),
  /** For how long; twice, three times as long when it fails again at once, and at most `longest`. */
  duration: milliseconds.min(1).default(30_000),
  longest: milliseconds.min(1).default(300_000),
  /** Whether a vendor's only upstream is too: its callers then have a 503 at once. */
  lone: z.boolean().default(false),
});

/** A model of one's own, or one in the place of the catalog's: what of it is only told to people may be left out. */
const ownModel = modelSchema
  .unwrap()
  .extend({ name: z.string().min(1).exactOptional(), created: modelSchema.unwrap().shape.created.default(0) })
  .transform((model) => ({ name: model.id.slice(model.id.indexOf('/') + 1), ...model }))
  .readonly();

/** Models that a key, or a caller, may use, or that no key of a group goes beyond. */
const models = z.array(z.string().regex(/^[^/\s]+\/[^/\s]+$/, 'must be <vendor>/<model_name> or <vendor>/*'));

/** What of what is stored at the vendors' accounts they may use; absent: `own` where there are `models`, else `all`. */
const stored = z.enum(STORED).exactOptional();

/** How much a key, a caller, or a group may use; budgets in US dollars, for a day and a month of UTC. */
const limits = z.strictObject({
  requestsPerMinute: z.int().positive().exactOptional(),
  tokensPerMinute: z.int().positive().exactOptional(),
  concurrentRequests: z.int().positive().exactOptional(),
  budgetDay: z.number().nonnegative().exactOptional(),
  budgetMonth: z.number().nonnegative().exactOptional(),
});

/** The same for some models, beside what holds for all of them. Of two for the same models, one would count twice. */
const modelLimits = z
  .array(limits.extend({ models: models.min(1) }))
  .refine(areOfOtherModels, 'must not have the same models twice');

/** Keys that have limits in common, beside each one's own. */
const groupSchema = z.strictObject({
  name: z.string().min(1),
  /** What none of its keys goes beyond. */
  models: models.optional(),
  stored,
  limits: limits.optional(),
  modelLimits: modelLimits.optional(),
});

const keySchema = z
  .strictObject({
    name: z.string().min(1),
    key: ownKey.min(8).max(512).optional(),
    hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 hash: 64 lower-case hex digits')
      .optional(),
    models: models.optional(),
    stored,
    expires: z.iso.datetime({ offset: true }).optional(),
    limits: limits.optional(),
    modelLimits: modelLimits.optional(),
    /** The name of one of `groups`. */
    group: z.string().exactOptional(),
  })
  .refine(
    (key) => (key.key === undefined) !== (key.hash === undefined),
    'needs either key or hash, and not both',
  );

/** A provider whose tokens open as keys do. `models` and `limits` are those of each of its callers. */
const identitySchema = z
  .strictObject({
    ...identityFields,
    models: models.exactOptional(),
    stored,
    limits: limits.exactOptional(),
    modelLimits: modelLimits.exactOptional(),
  })
  .refine(...hasAddressOfKeys)
  .refine(...hasLimitedCallers);

export const configSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  port: z.number().int().min(0).max(65_535).default(8787),
  /** Processes that serve. */
  workers: z.number().int().min(1).max(256).default(1),
  vendors: z.record(vendorName, vendorSchema).default({}),
  /** Models to add, or to put in the place of the default catalog's of the same id. */
  models: z.array(ownModel).default([]),
  /** Further names: alias to id, both `<vendor>/<model_name>`. */
  aliases: z.record(z.string(), z.string()).default({}),
  /** Models to ask, in order, where one cannot answer: full ids. Only those that the caller's key allows are. */
  fallbacks: z.record(modelId, z.array(modelId)).default({}),
  /** Whose models are served in Google's format: Google's alone, as at Google, or all there are. */
  generateContent: z.strictObject({ models: z.enum(['google', 'all']).default('google') }).prefault({}),
  retries: retriesSchema.prefault({}),
  ejection: ejectionSchema.prefault({}),
  keys: z.array(keySchema).default([]),
  groups: z.array(groupSchema).default([]),
  /** Identity providers, by whose tokens callers may come instead of by a key. */
  identities: z.array(identitySchema).default([]),
  limits: z
    .strictObject({
      bodyBytes: z
        .number('must be a number of bytes')
        .int()
        .positive()
        .default(32 * 1024 * 1024),
      /** Requests in flight: in all, and of one key. Workers share both evenly. */
      inFlight: z.number().int().positive().default(10_000),
      inFlightPerKey: z.number().int().positive().default(5_000),
      /** Open WebSockets: in all, and of one key. Workers share both evenly. */
      webSockets: z.number().int().positive().default(10_000),
      webSocketsPerKey: z.number().int().positive().default(1_000),
      /**
       * Bytes that are held for what is not whole yet: in all, and for one key. Workers share both evenly. In all, no
       * more than a quarter of the memory; always enough for one body.
       */
      pendingBytes: z
        .number()
        .int()
        .positive()
        .default(512 * 1024 * 1024),
      pendingBytesPerKey: z
        .number()
        .int()
        .positive()
        .default(128 * 1024 * 1024),
      /** From where on new work is refused: how late the event loop may be, and shares of what there is. */
      eventLoopDelay: milliseconds.min(1).default(500),
      memory: z.number().gt(0).max(1).default(0.85),
      fileDescriptors: z.number().gt(0).max(1).default(0.8),
    })
    .prefault({}),
  timeouts: z
    .strictObject({
      connect: milliseconds.default(5_000),
      /** Vendors: until the first byte of an answer's body, and between two pieces of it. 0, here and below: no limit. */
      firstByte: milliseconds.default(600_000),
      idle: milliseconds.default(120_000),
      /** How long a stream may consist of signs of life only. */
      quiet: milliseconds.default(600_000),
      /** From the first request to a vendor to the end of the answer. */
      total: milliseconds.default(1_800_000),
      /** How long a request waits for an upstream that has all its `connections` in use. */
      pool: milliseconds.default(100),
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
  /** Where keys and usage are kept: PostgreSQL at `url`, or else the SQLite file `path`. */
  store: z
    .strictObject({
      path: z.string().min(1).default('.gateway/gateway.db'),
      url: postgresUrl.exactOptional(),
    })
    .prefault({}),
  /** Redis or Valkey: where several machines count what keys may use. Without it each process counts its own, workers an even share. */
  redis: z
    .strictObject({
      url: z
        .url({ protocol: /^rediss?$/, error: 'must be redis://… or rediss://…' })
        .refine(isEscaped, ESCAPED)
        .exactOptional(),
    })
    .prefault({}),
  usage: z
    .strictObject({
      /** Records are written so often, or when there are so many; so many may wait in memory. */
      interval: milliseconds.min(1).default(500),
      batch: z.int().min(1).max(10_000).default(2_000),
      queue: z.int().min(1).default(50_000),
      /** Bytes that what waits beyond those may take in files beside the store. */
      spool: z
        .int()
        .nonnegative()
        .default(64 * 1024 * 1024),
      /** For how long single exchanges are kept. The sums of each day stay. */
      keepDays: z.number().nonnegative().default(90),
      /** Of which keys native streams are asked for usage where the caller did not: of those limited by it, or of all. */
      ask: z.enum(['limited', 'always']).default('limited'),
    })
    .prefault({}),
  /** The admin API, on a port of its own; without a key there is none. */
  admin: z
    .strictObject({
      key: ownKey.min(16, 'must have at least 16 characters').max(512).exactOptional(),
      host: z.string().min(1).default('127.0.0.1'),
      port: z.number().int().min(0).max(65_535).default(8788),
    })
    .prefault({}),
  /** How vendors at https addresses are reached where they cannot be directly. */
  proxy: z
    .strictObject({
      url: proxyUrl.exactOptional(),
      /** Hosts that are asked directly all the same. */
      except: z.string().default(''),
    })
    .prefault({}),
  cors: z.strictObject({ origins: corsOrigins.default('*') }).prefault({}),
  /** Whether translated streams are judged by the protocol validator as they go out; breaches are a metric. */
  validate: z.boolean().default(false),
  /** The access log: `auto` is pretty on a terminal and JSON elsewhere. */
  log: z.enum(['auto', 'json', 'pretty', 'none']).default('auto'),
  sandbox: z.strictObject({ pace: z.enum(['realistic', 'none']).default('realistic') }).prefault({}),
});

export type Config = z.output<typeof configSchema>;
/** What a configuration file exports. */
export type ConfigInput = z.input<typeof configSchema>;
