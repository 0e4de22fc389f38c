import type { JsonObject } from '@flotilla/json';
import { afterEach, describe, expect, it } from 'vitest';
import { type ManagementTestEnv, openManagementTestEnv, rejectionStatus, writeOptions } from '../management.fixture.ts';

let env: ManagementTestEnv;
afterEach(() => env.plane.close());

const texts = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${at}`, 'value']));
const list = <T>(count: number, item: (at: number) => T) => Array.from({ length: count }, (_, at) => item(at));

async function open() {
  env = await openManagementTestEnv();
  await env.create('projects', 'p', { allowedClusters: [{ name: '*' }], allowedTemplates: [{ name: '*' }] });
}

const make = (plural: string, members: JsonObject, metadata: JsonObject = {}) =>
  env.verbs(plural).create(env.admin('p'), env.sent(plural, 'x', members, metadata), writeOptions);

describe('an object of the management API', () => {
  it.each([
    ['users', { labels: texts(501) }, 'metadata.labels: Forbidden: may have at most 500 labels, but has 501'],
    ['teams', { annotations: texts(501) }, 'metadata.annotations: Forbidden: may have at most 500 annotations'],
    ['configmaps', { labels: texts(501) }, 'metadata.labels: Forbidden: may have at most 500 labels, but has 501'],
  ])('of the kind %s has at most 500 labels and annotations', async (plural, metadata, message) => {
    await open();
    expect(await rejectionStatus(make(plural, {}, metadata))).toMatchObject({
      code: 422,
      message: expect.stringContaining(message),
    });
    await make(plural, {}, { labels: texts(500), annotations: texts(500) });
  });

  it('has at most 20,000 values in its spec', async () => {
    await open();
    const spec = { allowedClusters: list(10_000, (at) => ({ name: `cluster-${at}` })) };
    expect(await rejectionStatus(make('projects', { spec }))).toMatchObject({
      code: 422,
      message: expect.stringContaining('spec: Forbidden: may have at most 20000 values, but has 20001'),
    });
  });

  it('has at most 1,000 keys if it is a ConfigMap', async () => {
    await open();
    expect(await rejectionStatus(make('configmaps', { data: texts(1_001) }))).toMatchObject({
      code: 422,
      message: expect.stringContaining('data: Forbidden: may have at most 1000 keys, but has 1001'),
    });
    await make('configmaps', { data: texts(1_000) });
  });

  it('has at most 1,000 keys if it is a Secret, in data and stringData together', async () => {
    await open();
    await make('secrets', { stringData: texts(600) });
    const more = Object.fromEntries(list(401, (at) => [`more-${at}`, 'value']));
    const patch = { type: 'merge', document: { stringData: more }, findings: [] } as const;
    expect(
      await rejectionStatus(env.verbs('secrets').patch(env.admin('p'), 'x', patch, { ...writeOptions, force: false })),
    ).toMatchObject({
      code: 422,
      message: expect.stringContaining('data: Forbidden: may have at most 1000 keys, but has 1001'),
    });
  });

  it('that is too large in one way is rejected', async () => {
    await open();
    const attempts: [string, JsonObject, JsonObject][] = [
      ['virtualclusterinstances', { spec: { description: 'x'.repeat(2_900_000) } }, {}],
      ['virtualclusterinstances', { spec: { template: { metadata: { labels: texts(9_000) } } } }, {}],
      ['virtualclusterinstances', { spec: {} }, { labels: texts(9_000) }],
      ['projects', { spec: { members: list(14_000, (at) => ({ kind: 'User', name: `user-${at}` })) } }, {}],
    ];
    for (const [plural, members, metadata] of attempts) {
      expect((await rejectionStatus(make(plural, members, metadata))).code).toBe(422);
    }
  });
});
