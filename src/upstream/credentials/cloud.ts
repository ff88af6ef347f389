/** The kinds of cloud credentials, as they are configured. */

import type { VendorProxy } from '../agent.ts';
import type { Payload } from '../payload.ts';

/** Application Default Credentials of Google. */
export interface GoogleCloud {
  readonly type: 'google';
  /**
   * A file with a service account's key or other credentials of Google; absent: where Google's libraries look for them.
   */
  readonly file?: string;
  readonly proxy?: VendorProxy;
}

/** Microsoft Entra ID. What is absent is read from the environment. */
export interface AzureCloud {
  readonly type: 'azure';
  readonly scope: string;
  readonly tenantId?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly proxy?: VendorProxy;
}

/** Requests signed with the credentials of AWS's default chain. */
export interface AwsCloud {
  readonly type: 'aws';
  readonly region: string;
  /** The name of the AWS service in the signature. */
  readonly service: string;
  readonly profile?: string;
  readonly proxy?: VendorProxy;
}

/** Tokens are fetched through `proxy`, if there is one. */
export type Cloud = GoogleCloud | AzureCloud | AwsCloud;

/** What each kind provides, for messages. */
export const CREDENTIAL_NAMES: Readonly<Record<Cloud['type'], string>> = {
  google: 'an access token of Google',
  azure: 'an access token of Microsoft Entra ID',
  aws: 'AWS credentials',
};

/** The parts of a request that a signature covers. */
export interface Outgoing {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly origin: string;
  /** The path with its query. */
  readonly path: string;
  /** Names, in lower case, and values, alternating. */
  readonly headers: readonly string[];
  readonly body: Payload;
}

export type Headers = Readonly<Record<string, string>>;

/** What a vendor accepts for a while instead of a key. */
export interface CloudToken {
  /** A secret that is removed from everything that the vendor says. */
  readonly secret: string;
  /** Until when it is valid, in milliseconds since 1970; Infinity if that is unknown. */
  readonly expires: number;
  /** The headers that a request needs in addition; names in lower case. */
  readonly headersFor: (request: Outgoing) => Headers | Promise<Headers>;
}

/** Fetches a new token. @throws any error; its message may quote an answer. */
export type Fetch = (signal: AbortSignal) => Promise<CloudToken>;

/** How long a token is used whose expiry is unknown, in milliseconds. */
export const UNKNOWN_LIFETIME = 300_000;

/** A token that is the same for all requests: a bearer token. */
export function bearerToken(token: string, expires: number, more: Headers = {}): CloudToken {
  const headers = { ...more, authorization: `Bearer ${token}` };
  return { secret: token, expires, headersFor: () => headers };
}
