import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { agentUser } from '../../api/naming.ts';
import { openManagementTestEnv, writeOptions } from '../management.fixture.ts';

describe('selves (completions §7)', () => {
  it('the response identifies the caller', async () => {
    const { create, verbs, as, sent } = await openManagementTestEnv();
    await create('users', 'anna', { displayName: 'Anna', email: 'a@b' });
    await create('teams', 'red', { users: ['anna'], displayName: 'Red' });
    const scope = { projects: [{ project: 'p' }] };
    await create('ownedaccesskeys', 'k', { scope }, as('anna'));
    const answer = await verbs('selves').create(as('anna', '', 'k'), sent('selves', ''), writeOptions);
    expect(answer.object).toMatchObject({
      kind: 'Self',
      status: {
        user: {
          name: 'anna',
          username: 'anna',
          displayName: 'Anna',
          email: 'a@b',
          teams: [{ name: 'red', displayName: 'Red' }],
        },
        accessKey: 'k',
        accessKeyType: 'User',
        accessKeyScope: scope,
        subject: 'anna',
        groups: expect.arrayContaining(['platform:team:red']),
        instanceID: 'test-installation',
        projectNamespacePrefix: 'platform-p-',
      },
    });
  });

  it('a request body of another kind is rejected like any object', async () => {
    const { create, verbs, as, sent } = await openManagementTestEnv();
    await create('users', 'anna', {});
    const body = { ...sent('selves', ''), spec: 5 } as unknown as KubeObject;
    await expect(verbs('selves').create(as('anna'), body, writeOptions)).rejects.toMatchObject({ code: 422 });
  });
});

describe('clusters/<name>/accesskey (completions §7)', () => {
  it('the cluster must exist and have an agent, and a dry run creates no key', async () => {
    const { mounted, admin, create, sent, state } = await openManagementTestEnv();
    await create('clusters', 'edge', { networkPeer: true });
    const part = mounted('clusters').subresources.accesskey;
    const ask = (cluster: string, dryRun = false) =>
      part?.verbs.createNamed?.(admin(), cluster, sent('selves', ''), { ...writeOptions, dryRun });
    await expect(ask('none')).rejects.toMatchObject({ code: 404 });
    await expect(ask('local')).rejects.toMatchObject({ code: 400 });
    expect((await ask('edge', true))?.object.accessKey).toBeUndefined();
    expect([...state.accessKeysOf('subject', agentUser('edge'))]).toEqual([]);
    expect((await ask('edge'))?.object.accessKey).toMatch(/^flk_/);
  });

  it('the caller needs a fresh login, because the key does not expire', async () => {
    const { mounted, as, create, sent, state } = await openManagementTestEnv({ auth: { freshLoginSeconds: 900 } });
    await create('clusters', 'edge', { networkPeer: true });
    await create('ownedaccesskeys', 'brief', { ttl: 120 });
    const ask = (accessKey: string) =>
      mounted('clusters').subresources.accesskey?.verbs.createNamed?.(
        as('admin', '', accessKey),
        'edge',
        sent('selves', ''),
        writeOptions,
      );
    await expect(ask('brief')).rejects.toMatchObject({
      code: 403,
      status: { details: { causes: [{ reason: 'FreshLoginRequired' }] } },
    });
    expect([...state.accessKeysOf('subject', agentUser('edge'))]).toEqual([]);
    // The first key of the administrator needs no login.
    expect((await ask('admin'))?.object.accessKey).toMatch(/^flk_/);
  });
});
