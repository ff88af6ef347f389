/** Sign-in for the console by an identity provider: what a browser would do, step by step, and what goes wrong. */

import { createHash } from 'node:crypto';
import { createServer, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openSessions } from '../../../src/server/http/admin/sessions.ts';
import { openSealSecret } from '../../../src/store/seal-secret.ts';
import { makeProviderKey } from '../../access/identities/provider.ts';
import { ADMIN_KEY, startAdmin, type TestAdmin } from '../../support/admin.ts';
import { freePort } from '../../support/free-port.ts';
import { CLIENT, type SignInProvider, startSignInProvider } from '../../support/sign-in-provider.ts';
import { soon } from '../../support/soon.ts';
import { useStoppedClock } from '../../support/stopped-clock.ts';

const clock = useStoppedClock();

let provider: SignInProvider;
let admin: TestAdmin;

beforeAll(async () => {
  provider = await startSignInProvider();
  admin = await startWith({});
});
afterAll(async () => {
  await admin.close();
  await provider.close();
});
const signer = () => provider.signer;
let published: ReturnType<typeof signer>;
beforeEach(() => {
  published ??= provider.signer;
  provider.signer = published;
  provider.person = { email: 'alice@e.example', realm: { roles: ['operators'] } };
  provider.instead = {};
  provider.held = undefined;
});

/** An admin listener where people sign in, unless `changes` prevents it. */
function startWith(changes: {
  readonly url?: string;
  readonly issuer?: string;
  readonly clientSecret?: string;
  readonly roles?: { readonly claim: string; readonly admin: readonly string[]; readonly viewer: [] };
}): Promise<TestAdmin> {
  return startAdmin(undefined, (url) => ({
    url,
    issuer: provider.issuer,
    ...CLIENT,
    scope: 'openid profile email',
    roles: { claim: 'realm.roles', admin: ['operators'], viewer: ['staff'] },
    ...changes,
  }));
}

/** The cookies of a browser, by name. */
type Jar = Map<string, string>;

/** Requests an address as a browser does, which follows no redirect by itself here. */
async function visit(url: string, jar: Jar, init: RequestInit = {}): Promise<Response> {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(url, {
    redirect: 'manual',
    ...init,
    headers: { ...(cookie && { cookie }), ...init.headers },
  });
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/Max-Age=0/.test(line)) jar.delete(name);
    else jar.set(name, value);
  }
  return response;
}

const locationOf = (response: Response): string => response.headers.get('location') ?? '';

/** Goes to the provider and back. @returns the answer of the callback */
async function signIn(jar: Jar, change: (callback: URL) => void = () => {}): Promise<Response> {
  const begun = await visit(`${admin.url}/admin/sign-in`, jar);
  expect(begun.status).toBe(302);
  const authorized = await fetch(locationOf(begun), { redirect: 'manual' });
  const callback = new URL(locationOf(authorized));
  change(callback);
  return visit(callback.href, jar);
}

const read = (jar: Jar, path = '/admin/keys') => visit(`${admin.url}${path}`, jar);
const create = (jar: Jar, name: string, headers: Record<string, string> = { 'x-gateway-console': '1' }) =>
  visit(`${admin.url}/admin/keys`, jar, { method: 'POST', body: JSON.stringify({ name }), headers });

const signOut = (jar: Jar, headers: Record<string, string>) =>
  visit(`${admin.url}/admin/sign-out`, jar, { method: 'POST', headers });

test('an administrator signs in, reads, changes, and signs out', async () => {
  const jar: Jar = new Map();
  const told = admin.told.length;
  const answer = await signIn(jar);
  expect(admin.told).toHaveLength(told);
  expect([answer.status, locationOf(answer)]).toEqual([302, `${admin.url}/#/usage`]);
  const session = answer.headers.getSetCookie().find((line) => line.startsWith('gateway_session='));
  expect(session).toMatch(/HttpOnly; SameSite=Strict$/);
  expect(session).not.toContain('alice');
  expect([...jar.keys()]).toEqual(['gateway_session']);
  expect(await (await read(jar, '/admin/session')).json()).toEqual({
    object: 'session',
    name: 'alice@e.example',
    role: 'admin',
    sign_in: true,
  });
  for (const path of ['/admin/keys', '/admin/config', '/metrics'])
    expect((await read(jar, path)).status).toBe(200);
  expect((await create(jar, 'by-alice')).status).toBe(201);
  const kept: Jar = new Map(jar);
  await signOut(jar, { 'x-gateway-console': '1' });
  expect((await read(jar)).status).toBe(401);
  expect(kept.size).toBe(1);
});

test('a viewer reads, and changes nothing', async () => {
  provider.person = { preferred_username: 'bob', realm: { roles: ['staff', 'others'] } };
  const jar: Jar = new Map();
  await signIn(jar);
  expect((await read(jar)).status).toBe(200);
  const refused = await create(jar, 'by-bob');
  expect([refused.status, await refused.json()]).toMatchObject([
    403,
    { error: { code: 'permission_denied' } },
  ]);
});

test('the audit trail names the person who signed in, whatever a header says', async () => {
  const jar: Jar = new Map();
  await signIn(jar);
  const headers = { 'x-gateway-console': '1', 'x-gateway-actor': 'mallory@e.example' };
  expect((await create(jar, 'named', headers)).status).toBe(201);
  const trail = await (await read(jar, '/admin/audit?target=named')).json();
  expect(trail).toMatchObject({ data: [{ action: 'key.created', actor: 'alice@e.example' }] });
});

test('the audit trail has the name of the person as it is written', async () => {
  provider.person = { preferred_username: 'Élodie 王芳', realm: { roles: ['operators'] } };
  const jar: Jar = new Map();
  await signIn(jar);
  expect((await create(jar, 'by-elodie')).status).toBe(201);
  const trail = await (await read(jar, '/admin/audit?target=by-elodie')).json();
  expect(trail).toMatchObject({ data: [{ actor: 'Élodie 王芳' }] });
});

test('the admin key works beside it, and a wrong key is no session', async () => {
  const jar: Jar = new Map();
  await signIn(jar);
  const withKey = (key: string) =>
    visit(`${admin.url}/admin/keys`, jar, { headers: { authorization: `Bearer ${key}` } });
  expect((await withKey(ADMIN_KEY)).status).toBe(200);
  expect((await withKey('wrong')).status).toBe(401);
});

test('a page of another site cannot make the browser change anything', async () => {
  const jar: Jar = new Map();
  await signIn(jar);
  expect((await create(jar, 'forged', {})).status).toBe(403);
  expect((await signOut(jar, {})).status).toBe(403);
  expect((await read(jar)).status).toBe(200);
});

describe('what is wrong with the configuration or the provider is said', () => {
  test('a wrong client secret', async () => {
    const other = await startWith({ clientSecret: 'not-the-secret' });
    const jar: Jar = new Map();
    const begun = await visit(`${other.url}/admin/sign-in`, jar);
    const authorized = await fetch(locationOf(begun), { redirect: 'manual' });
    const answer = await visit(locationOf(authorized), jar);
    expect([answer.status, await answer.text()]).toEqual([
      403,
      'The identity provider refused: invalid_grant.\n',
    ]);
    expect(other.told).toEqual([
      'A sign-in to the console was refused: The identity provider refused: invalid_grant.',
    ]);
    await other.close();
  });

  test('an issuer that cannot be reached', async () => {
    const other = await startWith({ issuer: `http://127.0.0.1:${await freePort()}` });
    const answer = await visit(`${other.url}/admin/sign-in`, new Map());
    expect([answer.status, await answer.text()]).toEqual([
      403,
      'The identity provider could not be asked, or its answer is not valid (ECONNREFUSED).\n',
    ]);
    expect(other.told).toEqual([
      'A sign-in to the console was refused: The identity provider could not be asked, or its answer is not valid (ECONNREFUSED).',
    ]);
    await other.close();
  });

  test('a token that does not fit, by the code of the error', async () => {
    provider.instead = { aud: 'other' };
    expect(await (await signIn(new Map())).text()).toMatch(/is not valid \(OAUTH_[A-Z_]+\)\.\n$/);
  });
});

describe('refused', () => {
  test.each([
    ['a person without a role', () => (provider.person = { realm: { roles: ['others'] } }), /names no role/],
    ['a person without the claim', () => (provider.person = {}), /names no role/],
    ['a token for another client', () => (provider.instead = { aud: 'other' }), /not valid/],
    ['a token of another issuer', () => (provider.instead = { iss: 'https://e.example' }), /not valid/],
    ['a token for another sign-in', () => (provider.instead = { nonce: 'other' }), /not valid/],
    ['a token that has expired', () => (provider.instead = { exp: 1 }), /not valid/],
  ] as const)('%s', async (_, prepare, said) => {
    prepare();
    const jar: Jar = new Map();
    const answer = await signIn(jar);
    expect(answer.status).toBe(403);
    const page = await answer.text();
    expect(page).toMatch(said);
    expect(`${admin.told.at(-1)}\n`).toBe(`A sign-in to the console was refused: ${page}`);
    expect(jar.size).toBe(0);
  });

  test('a token that is signed by another key', async () => {
    provider.signer = await makeProviderKey();
    const jar: Jar = new Map();
    expect((await signIn(jar)).status).toBe(403);
    expect(jar.size).toBe(0);
  });

  test.each([
    ['another state', (callback: URL) => callback.searchParams.set('state', 'other')],
    ['no state', (callback: URL) => callback.searchParams.delete('state')],
    ['a code that nobody gave', (callback: URL) => callback.searchParams.set('code', 'other')],
    ['an error of the provider', (callback: URL) => callback.searchParams.set('error', 'access_denied')],
  ])('a way back with %s', async (_, change) => {
    const jar: Jar = new Map();
    expect((await signIn(jar, change)).status).toBe(403);
    expect(jar.size).toBe(0);
  });

  test('an error of the provider that forges a line of the log is not told', async () => {
    const forged = 'access_denied.\nThe gateway is closed';
    const answer = await signIn(new Map(), (callback) => callback.searchParams.set('error', forged));
    expect(answer.status).toBe(403);
    expect(await answer.text()).toMatch(/is not valid(?: \(\w+\))?\.\n$/);
    expect(admin.told.at(-1)).toMatch(/^A sign-in to the console was refused: .*is not valid.*\.$/);
  });

  test('more than 32 at once, and the next one succeeds when it is loaded again', async () => {
    const hold = Promise.withResolvers<void>();
    provider.held = hold.promise;
    const granted = provider.granted;
    const browsers = Array.from({ length: 33 }, (): Jar => new Map());
    const ways = await Promise.all(
      browsers.map(async (jar) => {
        const begun = await visit(`${admin.url}/admin/sign-in`, jar);
        return locationOf(await fetch(locationOf(begun), { redirect: 'manual' }));
      }),
    );
    const end = (at: number) => visit(ways[at] ?? '', browsers[at] ?? new Map());
    const first = Promise.all(browsers.slice(1).map((_, at) => end(at)));
    await soon(() => expect(provider.granted - granted).toBe(32));
    const refused = await end(32);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(provider.granted - granted).toBe(32);
    hold.resolve();
    provider.held = undefined;
    expect((await first).map(({ status }) => status)).toEqual(Array(32).fill(302));
    expect((await end(32)).status).toBe(302);
  });

  test('a way back in another browser, and one that comes twice', async () => {
    const jar: Jar = new Map();
    const begun = await visit(`${admin.url}/admin/sign-in`, jar);
    const callback = locationOf(await fetch(locationOf(begun), { redirect: 'manual' }));
    expect((await visit(callback, new Map())).status).toBe(403);
    expect((await visit(callback, jar)).status).toBe(302);
    expect((await visit(callback, jar)).status).toBe(403);
  });

  test('cookies that were changed, or made for another purpose', async () => {
    const jar: Jar = new Map();
    await visit(`${admin.url}/admin/sign-in`, jar);
    const pending = jar.get('gateway_sign_in') ?? '';
    for (const forged of [pending, 'x', '', 'a.b.c.d.e']) {
      const answer = await visit(`${admin.url}/admin/keys`, new Map([['gateway_session', forged]]));
      expect(answer.status).toBe(401);
    }
  });
});

describe('a session', () => {
  const sessions = (random: () => Promise<Buffer>, current = ADMIN_KEY) =>
    openSessions({ random, current: () => current }, false);
  const find = (cookie: string | undefined, asked: ReturnType<typeof sessions>) =>
    asked.find(
      Object.assign(new IncomingMessage(new Socket()), { headers: { cookie: `gateway_session=${cookie}` } }),
    );

  test('tells nothing by which the admin key could be guessed, nor does a sign-in that was begun', async () => {
    const jar: Jar = new Map();
    await visit(`${admin.url}/admin/sign-in`, jar);
    const pending = jar.get('gateway_sign_in') ?? '';
    await signIn(jar);
    for (const [purpose, sealed] of [
      ['console sign-in', pending],
      ['console session', jar.get('gateway_session') ?? ''],
    ] as const) {
      // Whoever guesses the admin key right has no way to see that it is.
      const guessed = createHash('sha256').update(`${purpose}\0${ADMIN_KEY}`).digest();
      await expect(jwtDecrypt(sealed, guessed)).rejects.toThrow('decryption operation failed');
    }
    const forged = await new EncryptJWT({ name: 'mallory', role: 'admin' })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime('1h')
      .encrypt(createHash('sha256').update(`console session\0${ADMIN_KEY}`).digest());
    expect((await read(new Map([['gateway_session', forged]]))).status).toBe(401);
  });

  test('is known to every replica at the store, and ends with a new admin key', async () => {
    const jar: Jar = new Map();
    await signIn(jar);
    const cookie = jar.get('gateway_session');
    const random = openSealSecret(admin.store);
    const alice = { name: 'alice@e.example', role: 'admin' };
    expect(await find(cookie, sessions(random))).toEqual(alice);
    expect(await find(cookie, sessions(random, 'a new admin key'))).toBeUndefined();
    const other = await startAdmin();
    expect(await find(cookie, sessions(openSealSecret(other.store)))).toBeUndefined();
    // Replicas that make the secret at the same time make one.
    const made = await Promise.all([1, 2, 3].map(() => openSealSecret(other.store)()));
    expect(new Set(made.map((secret) => secret.toString('hex'))).size).toBe(1);
    expect(made[0]).toHaveLength(32);
    await other.close();
  });

  test('has a cookie that no other host can set, where the console is reached by https', async () => {
    const url = 'https://console.example/below';
    const other = await startWith({ url });
    const jar: Jar = new Map();
    const begun = await visit(`${other.url}/admin/sign-in`, jar);
    const callback = locationOf(await fetch(locationOf(begun), { redirect: 'manual' }));
    expect(callback).toMatch(/^https:\/\/console\.example\/below\/admin\/sign-in\/callback\?/);
    const answer = await visit(callback.replace(url, other.url), jar);
    expect([answer.status, locationOf(answer)]).toEqual([302, `${url}/#/usage`]);
    expect([...jar.keys()]).toEqual(['__Host-gateway_session']);
    // A browser takes such a name only so, and sends it below whatever path a proxy has.
    for (const line of [...begun.headers.getSetCookie(), ...answer.headers.getSetCookie()])
      expect(line).toMatch(
        /^__Host-gateway_\w+=[^;]*; Max-Age=\d+; Path=\/; HttpOnly; SameSite=\w+; Secure$/,
      );
    expect((await visit(`${other.url}/admin/keys`, jar)).status).toBe(200);
    await other.close();
  });
});

describe('an e-mail address that the provider has not verified', () => {
  test('gives no role', async () => {
    const other = await startWith({ roles: { claim: 'email', admin: ['alice@e.example'], viewer: [] } });
    const enter = async (person: object): Promise<[number, string]> => {
      provider.person = { email: 'alice@e.example', ...person };
      const jar: Jar = new Map();
      const begun = await visit(`${other.url}/admin/sign-in`, jar);
      const authorized = await fetch(locationOf(begun), { redirect: 'manual' });
      const answer = await visit(locationOf(authorized), jar);
      return [answer.status, await answer.text()];
    };
    const refused = 'The identity provider has not verified your e-mail address.\n';
    expect(await enter({ email_verified: false })).toEqual([403, refused]);
    expect(await enter({ email_verified: 'false' })).toEqual([403, refused]);
    expect(await enter({ email_verified: true })).toEqual([302, '']);
    expect(await enter({})).toEqual([302, '']);
    await other.close();
  });

  test('names nobody', async () => {
    const role = { realm: { roles: ['operators'] } };
    provider.person = { email: 'alice@e.example', email_verified: false, ...role };
    const jar: Jar = new Map();
    expect((await signIn(jar)).status).toBe(302);
    const session = await (await read(jar, '/admin/session')).json();
    expect(session).toMatchObject({ name: 'alice', role: 'admin' });
  });
});

test('where nobody can sign in, there is no way to, and the console knows', async () => {
  const plain = await startAdmin();
  expect(await (await fetch(`${plain.url}/admin/session`)).json()).toEqual({
    object: 'session',
    name: null,
    role: null,
    sign_in: false,
  });
  expect((await fetch(`${plain.url}/admin/sign-in`)).status).toBe(401);
  await plain.close();
});

test('however many begin to sign in, the provider is asked once a minute who it is', async () => {
  const other = await startWith({});
  const before = provider.described;
  const begin = async (): Promise<number> => (await visit(`${other.url}/admin/sign-in`, new Map())).status;
  clock.stop();
  const begun = await Promise.all(Array.from({ length: 20 }, begin));
  expect([...begun, await begin(), provider.described - before]).toEqual([...Array(21).fill(302), 1]);
  clock.advance(60_001);
  expect([await begin(), await begin(), provider.described - before]).toEqual([302, 302, 2]);
  await other.close();
});

test('after a provider has failed to answer, the next sign-in asks it again', async () => {
  const port = await freePort();
  const other = await startWith({ issuer: `http://127.0.0.1:${port}` });
  const begin = async (): Promise<number> => (await visit(`${other.url}/admin/sign-in`, new Map())).status;
  expect(await begin()).toBe(403);
  const server = createServer((_, response) => {
    const issuer = `http://127.0.0.1:${port}`;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ issuer, authorization_endpoint: `${issuer}/authorize` }));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  expect(await begin()).toBe(302);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await other.close();
});

// The last one, since it uses up the lines of a minute.
test('refused sign-ins cannot fill the log', async () => {
  const told = admin.told.length;
  for (let at = 0; at < 100; at += 1) {
    const { status } = await visit(`${admin.url}/admin/sign-in/callback`, new Map());
    expect(status).toBe(403);
  }
  const lines = admin.told.length - told;
  expect(lines).toBeGreaterThan(0);
  expect(lines).toBeLessThan(40);
});
