/** Nothing that is not configured is loaded: no start and no request takes longer because of it. */

import { createRequire } from 'node:module';
import { afterEach, expect, test, vi } from 'vitest';
import { json, startUpstream } from '../../support/upstream.ts';
import { answering, startCloudGateway, stubCloud } from './support.ts';

const LIBRARIES = /[\\/]node_modules[\\/](google-auth-library|gaxios|@aws-sdk|@smithy)[\\/]/;

/** The cloud libraries that this process has loaded; all of them are CommonJS. */
function loaded(): readonly string[] {
  const files = Object.keys(createRequire(import.meta.url).cache);
  return [...new Set(files.flatMap((file) => LIBRARIES.exec(file)?.[1] ?? []))].sort();
}

afterEach(() => vi.unstubAllEnvs());

test("keys and Entra load none, since Entra's tokens need no library; AWS and Google load their own", async () => {
  const vendor = await startUpstream(answering);
  const cloud = await startUpstream((_, response) =>
    json(response, { access_token: 'token', expires_in: 3_599 }),
  );
  stubCloud({
    AZURE_POD_IDENTITY_AUTHORITY_HOST: cloud.url,
    AWS_ACCESS_KEY_ID: 'AKIAOFTHETESTS000001',
    AWS_SECRET_ACCESS_KEY: 'secret',
    GCE_METADATA_HOST: cloud.url.replace('http://', ''),
  });
  const loadedBy = async (how: object): Promise<readonly string[]> => {
    const gateway = await startCloudGateway({ baseUrl: vendor.url, ...how });
    await gateway.say();
    await gateway.close();
    return loaded();
  };
  expect(await loadedBy({ apiKey: 'vendor-key' })).toEqual([]);
  expect(await loadedBy({ credentials: 'azure' })).toEqual([]);
  const aws = await loadedBy({ credentials: { type: 'aws', region: 'us-east-1' } });
  expect(aws).toEqual(['@aws-sdk', '@smithy']);
  expect(await loadedBy({ credentials: 'google' })).toEqual(expect.arrayContaining(['google-auth-library']));
  await Promise.all([vendor.close(), cloud.close()]);
});
