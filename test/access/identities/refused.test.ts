/** Tokens that are rejected, both forged and merely wrong ones, and the errors that their callers receive. */

import { createHmac } from 'node:crypto';
import { exportJWK, exportSPKI, importJWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { invalidKey } from '../../../src/lib/errors.ts';
import { asObject, asText, parseJson } from '../../../src/lib/json.ts';
import { KEY, startGateway, type TestGateway } from '../../support/gateway.ts';
import { type Key, makeProviderKey, type Provider, startProvider } from './provider.ts';

let provider: Provider;
let rsa: Provider;
let gateway: TestGateway;
let stranger: Key;
beforeAll(async () => {
  provider = await startProvider();
  rsa = await startProvider('RS256');
  // Without `alg`, the published key itself does not rule out another algorithm.
  rsa.publish({ jwk: { ...rsa.key.jwk, alg: undefined } });
  stranger = await makeProviderKey();
  gateway = await startGateway({
    identities: [
      provider.identity({
        audience: ['gateway', 'https://gateway.example'],
        require: { role: ['developer', 'admin'] },
      }),
      rsa.identity({ name: 'rsa', algorithms: ['RS256'] }),
    ],
  });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
  await rsa.close();
});

const ROLE = { role: 'developer' };
const SIGNATURE = 'The token is not valid: its signature does not match any key of its issuer.';

async function answerTo(token: string): Promise<{ status: number; said: string; text: string }> {
  const response = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${token}` } });
  const text = await response.text();
  const error = asObject(asObject(parseJson(text))?.['error']);
  return { status: response.status, said: asText(error?.['message']) ?? '', text };
}

async function expectRefused(token: string, why: string): Promise<void> {
  const { status, said, text } = await answerTo(token);
  expect({ status, said }).toEqual({ status: 401, said: why });
  expect(text).toContain('invalid_api_key');
  for (const part of token.split('.')) if (part.length > 8) expect(text).not.toContain(part);
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const seconds = (): number => Math.floor(Date.now() / 1_000);
const claimsOf = ({ issuer }: Provider) => ({
  iss: issuer,
  aud: 'gateway',
  sub: 'mallory',
  exp: seconds() + 300,
  ...ROLE,
});
/** A token with any header and any signature. */
const forged = (header: object, claims: object, signature = ''): string =>
  `${encoded(header)}.${encoded(claims)}.${signature}`;
const hmac = (header: object, claims: object, secret: string | Buffer): string => {
  const signed = `${encoded(header)}.${encoded(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
};

test('a valid token is accepted', async () => {
  expect(await answerTo(await provider.token(ROLE))).toMatchObject({ status: 200 });
  expect(await answerTo(await rsa.token())).toMatchObject({ status: 200 });
});

describe('forged', () => {
  test.each(['none', 'None', 'NONE', 'nOnE', ''])('signed by %j', async (alg) => {
    for (const signature of ['', 'AA', encoded('x')])
      await expectRefused(forged({ alg, typ: 'JWT' }, claimsOf(provider), signature), SIGNATURE);
  });

  test('signed with the public key as a shared secret, in whatever form', async () => {
    for (const { key } of [provider, rsa]) {
      const owner = key === rsa.key ? rsa : provider;
      const pem = await exportSPKI(key.publicKey);
      const secrets = [pem, pem.trim(), JSON.stringify(key.jwk), String(key.jwk['n'] ?? key.jwk['x'])];
      for (const secret of [...secrets, Buffer.from(String(key.jwk['n'] ?? key.jwk['x']), 'base64url')])
        for (const alg of ['HS256', key.alg])
          await expectRefused(hmac({ alg, kid: key.kid }, claimsOf(owner), secret), SIGNATURE);
    }
  });

  test('signed by a key that the token contains or points to', async () => {
    const evil = await startProvider();
    try {
      for (const more of [
        { jwk: stranger.jwk },
        { jku: `${evil.issuer}/keys` },
        { x5u: `${evil.issuer}/keys` },
        { x5c: ['MIIB'] },
        { jwk: stranger.jwk, kid: undefined },
      ]) {
        const header = JSON.parse(JSON.stringify({ alg: 'ES256', kid: provider.key.kid, ...more }));
        const token = await new SignJWT(claimsOf(provider))
          .setProtectedHeader(header)
          .sign(stranger.privateKey);
        await expectRefused(token, SIGNATURE);
      }
      expect(evil.paths()).toEqual([]);
    } finally {
      await evil.close();
    }
  });

  test.each([
    '../../../../etc/passwd',
    '/dev/null',
    'http://127.0.0.1:1/keys',
    "' OR 1=1 --",
    '__proto__',
    'constructor',
    'x\0y',
    '',
    'k'.repeat(4_000),
  ])('signed by a key with the id %j', async (kid) => {
    await expectRefused(await provider.tokenOf({ ...stranger, kid }, ROLE), SIGNATURE);
  });

  test.each([
    { kid: 7 },
    { kid: ['a'] },
    { kid: null },
    { alg: ['none'] },
    { alg: 7 },
    { crit: ['exp'] },
    { b64: false },
  ])('with a header that contains %j', async (more) => {
    const header = { alg: 'ES256', kid: provider.key.kid, ...more };
    await expectRefused(forged(header, claimsOf(provider), encoded('x'.repeat(48))), SIGNATURE);
  });

  test('in the name of one provider but signed by another, or with an algorithm that is not allowed', async () => {
    await expectRefused(await rsa.token({ iss: provider.issuer, ...ROLE }), SIGNATURE);
    const privateKey = await importJWK(await exportJWK(rsa.key.privateKey), 'RS512');
    if (privateKey instanceof Uint8Array) throw new TypeError('no key pair');
    await expectRefused(await rsa.tokenOf({ ...rsa.key, alg: 'RS512', privateKey }), SIGNATURE);
  });

  test('with other claims under a valid signature', async () => {
    const [header = '', , signature = ''] = (await provider.token(ROLE)).split('.');
    await expectRefused(
      `${header}.${encoded({ ...claimsOf(provider), role: 'admin' })}.${signature}`,
      SIGNATURE,
    );
  });
});

describe('valid signature, but not for this gateway', () => {
  test.each<[why: string, claims: Record<string, unknown>]>([
    ['it has expired.', { exp: seconds() - 31 }],
    ['it has expired.', { exp: -1 }],
    ['it is not valid yet.', { nbf: seconds() + 3_600 }],
    ['it is meant for another audience.', { aud: 'another' }],
    ['it is meant for another audience.', { aud: ['another', 'Gateway'] }],
    ['it is meant for another audience.', { aud: undefined }],
    ['it is meant for another audience.', { aud: { gateway: true } }],
    ['it does not say when it expires.', { exp: undefined }],
    ['it does not say when it expires.', { exp: 'tomorrow' }],
    ['its claim role does not have a required value.', { role: 'guest' }],
    ['its claim role does not have a required value.', { role: ['guest', 'Admin'] }],
    ['its claim role does not have a required value.', { role: undefined }],
    ['its claim role does not have a required value.', { role: { developer: true } }],
    ['it has no claim sub, which names its caller.', { sub: undefined }],
    ['it has no claim sub, which names its caller.', { sub: '' }],
    ['it has no claim sub, which names its caller.', { sub: ['alice'] }],
    ['its issuer is not known here.', { iss: 'https://elsewhere.example' }],
    ['its issuer is not known here.', { iss: undefined }],
    ['its issuer is not known here.', { iss: ['a'] }],
  ])('%s %j', async (why, claims) => {
    await expectRefused(await provider.token({ ...ROLE, ...claims }), `The token is not valid: ${why}`);
  });

  test.each<Record<string, unknown>>([
    { exp: seconds() - 1 },
    { nbf: seconds() + 5 },
    { aud: ['another', 'https://gateway.example'] },
    { role: ['guest', 'admin'] },
    { sub: 7 },
  ])('unusual but valid: %j', async (claims) => {
    expect(await answerTo(await provider.token({ ...ROLE, ...claims }))).toMatchObject({ status: 200 });
  });

  test.each<[string, Parameters<Provider['identity']>[0]]>([
    ['names nobody', { subject: 'email' }],
    ['is not one that is required', { require: { email: ['alice@example.com', 'bob@example.com'] } }],
    ['gives no group', { group: { claim: 'email' } }],
  ])('an unverified mail address %s', async (_, identity) => {
    const named = await startGateway({
      groups: [{ name: 'alice@example.com' }],
      identities: [provider.identity(identity)],
    });
    try {
      const statusOf = async (claims: Record<string, unknown>): Promise<number> => {
        const authorization = `Bearer ${await provider.token({ email: 'alice@example.com', ...claims })}`;
        return (await fetch(`${named.url}/v1/models`, { headers: { authorization } })).status;
      };
      for (const not of [false, 'false', 'False', 'no', 0, '0', null])
        expect(await statusOf({ email_verified: not })).toBe(401);
      for (const verified of [true, 'true']) expect(await statusOf({ email_verified: verified })).toBe(200);
      expect(await statusOf({})).toBe(200);
    } finally {
      await named.close();
    }
  });
});

describe('malformed tokens', () => {
  const KEY_REFUSED = invalidKey(true).message;
  const OTHER = 'The token is not valid: its issuer is not known here.';

  test.each<[form: string, token: string, why: string]>([
    ['two parts', `${encoded({ alg: 'none' })}.${encoded({ iss: 'x' })}`, KEY_REFUSED],
    ['five parts, as encrypted ones have', 'eyJhbGciOiJ.a.b.c.d', KEY_REFUSED],
    ['no JSON', 'eyAAAAAA.eyBBBBBB.CCCC', OTHER],
    ['a list for its claims', forged({ alg: 'ES256' }, [{ iss: 'x' }], 'AA'), OTHER],
    ['a text for its header', `e${encoded('x')}.${encoded({ iss: 'x' })}.AA`, OTHER],
    ['as long as headers may be', forged({ alg: 'ES256' }, { iss: 'x', a: 'x'.repeat(11_000) }, 'AA'), OTHER],
  ])('%s', async (_, token, why) => {
    await expectRefused(token, why);
  });

  test('longer than a header may be', async () => {
    const huge = await provider.token({ ...ROLE, pad: 'x'.repeat(13_000) });
    const response = await fetch(`${gateway.url}/v1/models`, {
      headers: { authorization: `Bearer ${huge}` },
    });
    expect(response.status).toBe(431);
  });

  test('a large valid token is accepted', async () => {
    const groups = Array.from({ length: 300 }, (_, at) => `00000000-0000-4000-8000-${at}`);
    expect(await answerTo(await provider.token({ ...ROLE, groups }))).toMatchObject({ status: 200 });
  });

  test('a key that looks like a token is a key, unless its issuer is configured', async () => {
    const ours = forged({ alg: 'HS256' }, { iss: 'https://elsewhere.example' }, 'AA');
    const theirs = forged({ alg: 'HS256' }, claimsOf(provider), 'AA');
    const keys = [ours, theirs].map((key, at) => ({ name: `key-${at}`, key }));
    const keyed = await startGateway({ keys, identities: [provider.identity()] });
    try {
      const statusOf = async (key: string): Promise<number> =>
        (await fetch(`${keyed.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;
      expect(await statusOf(ours)).toBe(200);
      expect(await statusOf(theirs)).toBe(401);
      expect(await statusOf(KEY)).toBe(200);
    } finally {
      await keyed.close();
    }
  });
});

test('a caller receives the error in their own format', async () => {
  const token = await provider.token({ ...ROLE, aud: 'another' });
  const ask = async (path: string, headers: Record<string, string>): Promise<unknown> => {
    const response = await fetch(gateway.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{}',
    });
    return [response.status, response.headers.get('x-should-retry'), parseJson(await response.text())];
  };
  const message = 'The token is not valid: it is meant for another audience.';
  expect(await ask('/v1/messages', { 'x-api-key': token })).toMatchObject([
    401,
    'false',
    { type: 'error', error: { type: 'authentication_error', message } },
  ]);
  expect(
    await ask('/v1beta/models/gemini-2.5-flash:generateContent', { 'x-goog-api-key': token }),
  ).toMatchObject([401, 'false', { error: { status: 'UNAUTHENTICATED', message } }]);
  expect(await ask('/v1/responses', { authorization: `Bearer ${token}` })).toMatchObject([
    401,
    'false',
    { error: { code: 'invalid_api_key', message } },
  ]);
});
