import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { projectRoles } from '../api/naming.ts';
import type { RequestContext } from '../registry/context.ts';
import { deleteOptions, openManagementTestEnv, patchOptions, rejectionStatus } from './management.fixture.ts';

/** Calls the verbs directly, like a request that was authorized before its body arrived. */
async function setUp() {
  const management = await openManagementTestEnv();
  const { create, verbs, as, admin } = management;
  const members = ['anna', 'bob'].map((name) => ({ kind: 'User', name, clusterRole: projectRoles.user }));
  for (const name of ['anna', 'bob', 'keeper']) await create('users', name, {});
  await create('projects', 'p', {
    members,
    owner: { user: 'keeper' },
    allowedClusters: [{ name: '*' }],
    allowedTemplates: [{ name: '*' }],
  });
  await create('virtualclusterinstances', 'annas', {}, as('anna', 'p'));
  const merge = (plural: string, name: string, spec: JsonObject, context: RequestContext = admin()) =>
    verbs(plural).patch(context, name, { type: 'merge', document: { spec }, findings: [] }, patchOptions);
  return { ...management, merge };
}

describe('permissions on written fields', () => {
  it('permissions are checked against the object at the time of the write', async () => {
    const { merge, verbs, as } = await setUp();
    const status = await rejectionStatus(
      merge('virtualclusterinstances', 'annas', { displayName: 'x' }, as('bob', 'p')),
    );
    expect(status).toMatchObject({
      code: 403,
      message: expect.stringContaining('User "bob" cannot update resource "virtualclusterinstances"'),
    });
    const removed = await rejectionStatus(
      verbs('virtualclusterinstances').delete(as('bob', 'p'), 'annas', deleteOptions),
    );
    expect(removed.code).toBe(403);
    await merge('virtualclusterinstances', 'annas', { displayName: 'x' }, as('anna', 'p'));
    await verbs('virtualclusterinstances').delete(as('anna', 'p'), 'annas', deleteOptions);
    expect((await rejectionStatus(merge('projects', 'p', { displayName: 'x' }, as('bob')))).code).toBe(403);
    expect((await rejectionStatus(verbs('projects').delete(as('keeper'), 'p', deleteOptions))).code).toBe(403);
  });

  it('owners may change display fields of clusters, templates and teams; access entries allow the rest', async () => {
    const { create, merge, as, verbs } = await setUp();
    const owner = { user: 'keeper' };
    const access = [{ verbs: ['patch'], users: ['bob'] }];
    await create('clusters', 'c', { networkPeer: true, owner, access });
    await create('virtualclustertemplates', 't', { owner, access });
    await create('teams', 'team', { owner, access });
    for (const [plural, name, spec] of [
      ['clusters', 'c', { unusable: true }],
      ['virtualclustertemplates', 't', { template: {} }],
      ['teams', 'team', { owner: { user: 'bob' } }],
    ] as const) {
      await merge(plural, name, { displayName: 'ours', description: 'all of it' }, as('keeper'));
      const field = Object.keys(spec)[0];
      expect((await rejectionStatus(merge(plural, name, spec, as('keeper')))).message).toContain(
        `you may not set spec.${field}`,
      );
      expect((await rejectionStatus(merge(plural, name, { displayName: 'x' }, as('anna')))).code).toBe(403);
      for (const metadata of [{ labels: { a: 'b' } }, { finalizers: ['a.b/c'] }]) {
        const patch = { type: 'merge', document: { metadata }, findings: [] } as const;
        const status = await rejectionStatus(verbs(plural).patch(as('keeper'), name, patch, patchOptions));
        expect(status.message).toContain(`you may not set metadata.${Object.keys(metadata)[0]}`);
      }
      const note = { type: 'merge', document: { metadata: { annotations: { a: 'b' } } }, findings: [] } as const;
      await verbs(plural).patch(as('keeper'), name, note, patchOptions);
      await merge(plural, name, spec, as('bob'));
    }
    for (const spec of [{ users: ['bob'] }, { groups: ['platform:admins'] }]) {
      expect((await rejectionStatus(merge('teams', 'team', spec, as('bob')))).code).toBe(403);
    }
  });

  it('a password may be set by its user and by admins, but not with a scoped key', async () => {
    const { create, merge, as, admin } = await setUp();
    const password = 'correct horse battery';
    await merge('users', 'anna', { password }, as('anna'));
    await merge('users', 'anna', { password: `${password}!` });
    expect((await rejectionStatus(merge('users', 'anna', { password }, as('bob')))).code).toBe(403);
    await create('ownedaccesskeys', 'scoped', { scope: { rules: [{ verbs: ['*'] }] } }, admin());
    await merge('users', 'anna', { displayName: 'Anna' }, as('admin', '', 'scoped'));
    expect((await rejectionStatus(merge('users', 'anna', { password }, as('admin', '', 'scoped')))).message).toContain(
      'you may not set spec.password',
    );
  });
});
