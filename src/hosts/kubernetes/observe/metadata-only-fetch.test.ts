import { expect, it } from 'vitest';
import { metadataOnlyFetch } from './metadata-only-fetch.ts';

it('requests use the metadata form that matches an object or a list', async () => {
  const asked: string[] = [];
  const fetch = metadataOnlyFetch((_url, { headers }) => {
    asked.push(/as=(\w+)/.exec(headers.Accept ?? '')?.[1] ?? '');
    return Promise.resolve({ status: 200, text: () => Promise.resolve(''), body: null });
  });
  const ask = (url: string, method = 'GET') => fetch(url, { method, headers: { Accept: 'application/json' } });
  await ask('/api/v1/secrets?labelSelector=owner%3Dhelm');
  await ask('/api/v1/namespaces/space/secrets');
  await ask('/api/v1/namespaces');
  await ask('/apis/apps/v1/namespaces/space/deployments');
  expect(asked.splice(0)).toEqual(Array.from({ length: 4 }, () => 'PartialObjectMetadataList'));
  await ask('/api/v1/namespaces/space/secrets/one');
  await ask('/api/v1/namespaces/space');
  await ask('/api/v1/secrets?watch=true');
  expect(asked.splice(0)).toEqual(Array.from({ length: 3 }, () => 'PartialObjectMetadata'));
  await ask('/api/v1/namespaces/space/secrets/one', 'DELETE');
  expect(asked).toEqual(['']);
});
