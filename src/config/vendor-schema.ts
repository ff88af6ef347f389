/** A vendor in a configuration, with its further upstreams. */

import { z } from 'zod';
import { FORMAT_NAMES } from '../conversation/prompt.ts';
import { CACHE, SANDBOX } from '../upstream/vendor.ts';
import { baseUrl } from './addresses.ts';
import { credentialsSchema } from './credentials.ts';
import { tlsSchema } from './vendor-tls.ts';

const formatName = z.enum(FORMAT_NAMES);

/** The value of a header. A line break in it would begin another header. */
const headerValue = z.string().regex(/^[\t\x20-\x7e]*$/, 'must be printable ASCII');

// Files often end in a line break, and Docker's `--env-file` keeps the quotes around a value as part of it.
/** The key of a vendor. */
const vendorKey = z
  .string()
  .min(1)
  .regex(/^[\t\x20-\x7e]*$/, 'must be printable ASCII without line breaks, such as one at its end')
  .regex(/^(?!(["']).*\1$)/, 'must not be in quotes, which would be sent with it')
  // A key is one token (RFC 6750, 2.1), and no vendor's has a comma. Other gateways take a list of them here.
  .regex(/^[^,;]*$/, 'must be one key, not a list: further keys go under upstreams in a configuration file');

/**
 * The vendor's own names for models, where a cloud or a deployment has other names, by the model's name or full id. The
 * key `*` covers all other models, and a `*` in a value stands for the name of the model.
 */
const names = z.record(z.string(), z.string().min(1).max(256));

/** The header that carries the key. */
const auth = z.enum(['authorization', 'x-api-key', 'x-goog-api-key']);

/** Whether a vendor does not have both a key and credentials. */
function hasOneSecret({
  apiKey,
  credentials,
}: {
  readonly apiKey?: unknown;
  readonly credentials?: unknown;
}): boolean {
  return apiKey === undefined || credentials === undefined;
}

const ONE_SECRET = { path: ['apiKey'], error: 'cannot be set together with credentials' };

/** A further address or key of a vendor. */
const upstreamSchema = z
  .strictObject({
    /** Absent: the vendor's. */
    baseUrl: baseUrl.optional(),
    apiKey: vendorKey.optional(),
    /** A file that holds the key, in place of `apiKey`. It is read again when it changes. */
    apiKeyFile: z.string().exactOptional(),
    credentials: credentialsSchema.exactOptional(),
    /** Its share of the traffic, relative to an upstream of weight 1. */
    weight: z.number().positive().max(1_000).default(1),
    /** Absent: the vendor's. */
    auth: auth.exactOptional(),
    names: names.exactOptional(),
    tls: tlsSchema.exactOptional(),
  })
  .refine(hasOneSecret, ONE_SECRET)
  .refine(({ apiKey, credentials }) => apiKey !== undefined || credentials !== undefined, {
    path: ['apiKey'],
    error: 'is required if there are no credentials',
  });

/** A vendor. */
export const vendorSchema = z
  .strictObject({
    baseUrl: baseUrl.optional(),
    apiKey: vendorKey.optional(),
    /** A file that holds the key, in place of `apiKey`. It is read again when it changes. */
    apiKeyFile: z.string().exactOptional(),
    /** Credentials of a cloud instead of a key. The gateway fetches them, and renews them before they expire. */
    credentials: credentialsSchema.exactOptional(),
    auth: auth.exactOptional(),
    /** The formats that it speaks. Absent: chat-completions, or what is known of the vendor. */
    formats: z.tuple([formatName], formatName).optional(),
    /** Whether it takes `<vendor>/<model_name>` as the name of a model, as services with models of many vendors do. */
    fullIds: z.boolean().optional(),
    /**
     * Which quirks of chat-completions to expect: `azure`, `groq`, `ollama`, `vllm` and others. Absent: by its address
     * or name.
     */
    dialect: z.string().optional(),
    /** Headers to send with every request. */
    headers: z
      .record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'is not the name of a header'), headerValue)
      .optional(),
    names: names.exactOptional(),
    /** The authority of its certificate, and a certificate of the gateway's own that it asks for. */
    tls: tlsSchema.exactOptional(),
    /**
     * Which translated requests ask Claude to cache their beginning. `asked`: those whose caller asks for it. `agents`: also
     * dialogues in which tools are called repeatedly. `always`: all. Writing to the cache costs a quarter more, reading
     * from it a tenth. Absent: `agents` at Anthropic itself, `asked` at a cloud.
     */
    caching: z.enum(['asked', 'agents', 'always']).exactOptional(),
    /** Further addresses or keys besides `baseUrl` and `apiKey`. Traffic goes to the least busy of all of them. */
    upstreams: z.array(upstreamSchema).default([]),
    /**
     * Maximum number of concurrent exchanges with each of them. Further ones wait for `timeouts.pool`, then are
     * refused. Absent: no maximum.
     */
    connections: z.number().int().positive().optional(),
    /**
     * Whether a connection to it carries many exchanges at once (HTTP/2), if its server offers that, and there is no `proxy`.
     * With thousands of streams that saves memory, ports and handshakes; one that breaks ends all that it carries.
     */
    http2: z.boolean().optional(),
  })
  .refine(hasOneSecret, ONE_SECRET);

/** The name of a vendor, with which the ids of its models begin. */
export const vendorName = z
  .string()
  .regex(/^[^/\s\p{Lu}]+$/u, 'the name of a vendor must be in lower case, without slashes or spaces')
  .refine((name) => name !== SANDBOX, 'must not be sandbox, the name of the simulated vendors')
  .refine((name) => name !== CACHE, 'must not be cache, the name of the cache in reports');

/** The full id of a model, as in the catalog. */
export const modelId = z.string().regex(/^[^/\s]+\/[^/\s]+$/, 'must be <vendor>/<model_name>');
