import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import type { MissingCheck } from '../../registry/mounted-resource.ts';
import { openManagement, writing } from '../management.fixture.ts';

describe('selves (completions §7)', () => {
  it('tell who the caller is', async () => {
    const { create, verbs, as, sent } = await openManagement();
    await create('users', 'anna', { displayName: 'Anna', email: 'a@b' });
    await create('teams', 'red', { users: ['anna'], displayName: 'Red' });
    const scope = { projects: [{ project: 'p' }] };
    await create('ownedaccesskeys', 'k', { scope }, as('anna'));
    const answer = await verbs('selves').create(as('anna', '', 'k'), sent('selves', ''), writing);
    expect(answer.object).toMatchObject({
      kind: 'Self',
      status: {
        user: { name: 'anna', displayName: 'Anna', email: 'a@b', teams: [{ name: 'red', displayName: 'Red' }] },
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

  it('are refused like any object if they are none of their kind', async () => {
    const { create, verbs, as, sent } = await openManagement();
    await create('users', 'anna', {});
    const body = { ...sent('selves', ''), spec: 5 } as unknown as KubeObject;
    await expect(verbs('selves').create(as('anna'), body, writing)).rejects.toMatchObject({ code: 422 });
  });
});

describe('parts that are missing', () => {
  const refusalOf = async (check: MissingCheck | undefined, ...rest: Parameters<MissingCheck>) => {
    try {
      await check?.(...rest);
    } catch (error) {
      if (error instanceof StatusError) return error.status;
      throw error;
    }
    return undefined;
  };

  it('know the cluster that they are of', async () => {
    const { mounted, admin } = await openManagement();
    const part = mounted('clusters').subresources.accesskey;
    expect(await refusalOf(part?.missingCheck, admin(), 'local', undefined)).toBeUndefined();
    expect(await refusalOf(part?.missingCheck, admin(), 'none', undefined)).toMatchObject({ code: 404 });
  });
});
