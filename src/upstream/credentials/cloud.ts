/** How a cloud is shown whose request it is, where no key does that: configuration, no code. */

import type { VendorProxy } from '../agent.ts';

/** Application Default Credentials of Google. */
export interface GoogleCloud {
  readonly type: 'google';
  /** A service account's key, or whatever else Google calls credentials. Absent: where its libraries look for them. */
  readonly file?: string;
  readonly proxy?: VendorProxy;
}

/** Microsoft Entra ID. What is absent is what the environment says. */
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
  /** What the signature is for. */
  readonly service: string;
  readonly profile?: string;
  readonly proxy?: VendorProxy;
}

/** Between here and where tokens are had stands `proxy`, if anything does. */
export type Cloud = GoogleCloud | AzureCloud | AwsCloud;

/** What each gives by which a request is let in. */
export const CALLED: Readonly<Record<Cloud['type'], string>> = {
  google: 'an access token of Google',
  azure: 'an access token of Microsoft Entra ID',
  aws: 'AWS credentials',
};

/** What is sent, as far as a signature is of it. */
export interface Outgoing {
  readonly method: 'POST' | 'GET';
  readonly origin: string;
  /** Path with query. */
  readonly path: string;
  /** Names in lower case, and values, in turn. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

export type Headers = Readonly<Record<string, string>>;

/** By which requests are let in, for a while. */
export interface Pass {
  /** What nobody else may read: taken out of all that the vendor says. */
  readonly secret: string;
  /** Until when it is good, as Date.now() counts; Infinity where nobody says. */
  readonly expires: number;
  /** What a request needs beside its own headers; names in lower case. */
  readonly headersFor: (request: Outgoing) => Headers | Promise<Headers>;
}

/** Has a new one. @throws any error, whose message may quote what was answered. */
export type Fetch = (signal: AbortSignal) => Promise<Pass>;

/** For how long a token is used of which nobody says when it ends, in milliseconds. */
export const UNTOLD = 300_000;

/** One that is the same for all requests. */
export function bearerOf(token: string, expires: number, more: Headers = {}): Pass {
  const headers = { ...more, authorization: `Bearer ${token}` };
  return { secret: token, expires, headersFor: () => headers };
}
