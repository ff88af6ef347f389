/**
 * Checks whether a request is signed as AWS requires ("Create a signed AWS API request"), derived from that
 * documentation alone.
 */

import { createHash, createHmac } from 'node:crypto';
import type { Received } from '../../support/upstream.ts';

export interface Signer {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  readonly service: string;
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();

/** Encodes as RFC 3986 says, and keeps `/` as a separator. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** What is wrong with the signature of a request; undefined if nothing is. */
export function wrongWith({ method, url, headers, body }: Received, signer: Signer): string | undefined {
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    );
  if (parts === null) return 'it has no signature';
  const [, id, day = '', region, service, names = '', signature] = parts;
  const date = String(headers['x-amz-date']);
  if (id !== signer.accessKeyId || region !== signer.region || service !== signer.service)
    return `it is signed by ${id} for ${region} and ${service}`;
  if (!/^\d{8}T\d{6}Z$/.test(date) || !date.startsWith(day)) return `its date is ${date}`;
  const signed = names.split(';');
  const amazons = Object.keys(headers).filter((name) => name.startsWith('x-amz-'));
  const missing = ['host', 'content-type', ...amazons].find(
    (name) => headers[name] !== undefined && !signed.includes(name),
  );
  if (missing !== undefined) return `the signature is not of ${missing}`;
  if (headers['x-amz-content-sha256'] !== sha256(body)) return 'the digest is of another body';
  const [path = '', query = ''] = url.split('?');
  const canonical = [
    method,
    path.split('/').map(encoded).join('/'),
    [...new URLSearchParams(query)]
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join('&'),
    ...signed.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    sha256(body),
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const key = [day, signer.region, signer.service, 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${signer.secretAccessKey}`,
  );
  return hmac(key, text).toString('hex') === signature ? undefined : 'the signature is wrong';
}
