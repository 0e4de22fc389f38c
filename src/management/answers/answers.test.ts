import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { projectRoles } from '../../api/naming.ts';
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

  it('check an import all the same (completions §4)', async () => {
    const { mounted, admin, create } = await openManagement();
    await create('projects', 'closed', {});
    const part = mounted('projects').subresources.importvirtualcluster;
    const body = (sourceVirtualCluster: object) =>
      ({ apiVersion: '', kind: '', metadata: {}, sourceVirtualCluster }) as unknown as KubeObject;
    const whole = { name: 'v', namespace: 'n', cluster: 'local' };
    const check = (name: string, source: object) => refusalOf(part?.missingCheck, admin(), name, body(source));
    expect(part?.missing).toBeDefined();
    expect(
      (await check('default', { name: '', cluster: '' }))?.details?.causes?.map((cause) => cause.field).sort(),
    ).toEqual(['sourceVirtualCluster.cluster', 'sourceVirtualCluster.name', 'sourceVirtualCluster.namespace']);
    expect(await check('none', whole)).toMatchObject({ code: 404, details: { kind: 'projects' } });
    expect(await check('default', { ...whole, cluster: 'none' })).toMatchObject({
      code: 404,
      details: { kind: 'clusters' },
    });
    expect(await check('closed', whole)).toMatchObject({ code: 403 });
    expect(await check('default', whole)).toBeUndefined();
  });

  it('lets an admin of the project import from a cluster that names them (completions §8)', async () => {
    const { mounted, as, create } = await openManagement();
    const member = { kind: 'User', name: 'anna', clusterRole: projectRoles.admin };
    await create('users', 'anna', {});
    await create('projects', 'p', { members: [member], allowedClusters: [{ name: '*' }] });
    await create('clusters', 'open', { networkPeer: true, access: [{ verbs: ['use'], users: ['anna'] }] });
    const part = mounted('projects').subresources.importvirtualcluster;
    const check = (cluster: string) => {
      const body = {
        apiVersion: '',
        kind: '',
        metadata: {},
        sourceVirtualCluster: { name: 'v', namespace: 'n', cluster },
      };
      return refusalOf(part?.missingCheck, as('anna'), 'p', body as unknown as KubeObject);
    };
    expect(await check('open')).toBeUndefined();
    expect(await check('local')).toMatchObject({
      code: 403,
      message: expect.stringContaining('may not use the cluster'),
    });
  });

  it('know the instance or cluster that they are of', async () => {
    const { mounted, admin, create } = await openManagement();
    await create('virtualclusterinstances', 'vc', {}, admin('default'));
    for (const name of ['kubeconfig', 'log']) {
      const part = mounted('virtualclusterinstances').subresources[name];
      expect(await refusalOf(part?.missingCheck, admin('default'), 'vc', undefined)).toBeUndefined();
      expect(await refusalOf(part?.missingCheck, admin('default'), 'none', undefined)).toMatchObject({ code: 404 });
    }
    for (const name of ['virtualclusters', 'accesskey']) {
      const part = mounted('clusters').subresources[name];
      expect(await refusalOf(part?.missingCheck, admin(), 'local', undefined)).toBeUndefined();
      expect(await refusalOf(part?.missingCheck, admin(), 'none', undefined)).toMatchObject({ code: 404 });
    }
  });
});
