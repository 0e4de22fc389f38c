import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { cleanupFinalizer, nonDeletableAnnotation, projectRoles } from '../../api/naming.ts';
import type { RequestContext } from '../../registry/context.ts';
import {
  deleteOptions,
  latestVersion,
  openManagementTestEnv,
  patchOptions,
  rejectionStatus,
} from '../management.fixture.ts';
import { defaultManagementSettings } from '../settings.ts';

async function setUp() {
  const management = await openManagementTestEnv({
    projects: { ...defaultManagementSettings.projects, selfService: true },
  });
  const { create, admin, verbs } = management;
  await create('users', 'anna', { displayName: 'Anna' });
  await create('teams', 'red', { users: ['anna'] });
  const merge = (name: string, spec: JsonObject, context: RequestContext = admin()) =>
    verbs('projects').patch(context, name, { type: 'merge', document: { spec }, findings: [] }, patchOptions);
  return { ...management, merge };
}

describe('projects (completions §7)', () => {
  it('the namespace is created and deleted with its project', async () => {
    const { create, verbs, admin, state, merge, system } = await setUp();
    const made = await create('projects', 'p', {});
    expect(made.metadata.finalizers).toEqual([cleanupFinalizer]);
    expect(made).toMatchObject({ spec: { owner: { user: 'admin' } } });
    expect(state.namespace('platform-p-p')).toMatchObject({ kind: 'Namespace', status: { phase: 'Active' } });
    await verbs('projects').delete(admin(), 'p', deleteOptions);
    expect(state.namespace('platform-p-p')).toBeDefined();
    const document = { metadata: { finalizers: [] } };
    await verbs('projects').patch(admin(), 'p', { type: 'merge', document, findings: [] }, patchOptions);
    expect(state.project('p')?.metadata.finalizers).toEqual([cleanupFinalizer]);
    await verbs('projects').patch(system(), 'p', { type: 'merge', document, findings: [] }, patchOptions);
    expect(state.project('p')).toBeUndefined();
    expect(state.namespace('platform-p-p')).toBeUndefined();
    expect((await rejectionStatus(merge('p', {}))).code).toBe(404);
  });

  it('more than 2,000 members are rejected', async () => {
    const { create } = await openManagementTestEnv();
    const members = Array.from({ length: 2_001 }, (_, at) => ({
      kind: 'User',
      name: `user-${at}`,
      clusterRole: projectRoles.user,
    }));
    const refused = await rejectionStatus(create('projects', 'p', { members }));
    expect([refused.code, refused.message]).toEqual([422, expect.stringContaining('may have at most 2000 members')]);
    await create('projects', 'p', { members: members.slice(1) });
  });

  it('members that do not exist yet are accepted with one warning', async () => {
    const { create, admin, merge } = await setUp();
    const as = (kind: string, name: string) => ({ kind, name, clusterRole: projectRoles.user });
    const members = [as('User', 'anna'), as('User', 'ana'), as('Team', 'red'), as('Team', 'rde')];
    const context = admin();
    await create('projects', 'p', { members }, context);
    expect(context.warnings).toEqual([
      'spec.members[1].name: user "ana" does not exist yet',
      'spec.members[3].name: team "rde" does not exist yet',
    ]);
    const later = admin();
    await merge('p', { displayName: 'P', members: [...members, as('User', 'red')] }, later);
    expect(later.warnings).toEqual(['spec.members[4].name: user "red" does not exist yet']);
  });

  it('the namespace terminates in the same write that starts the deletion (CREATE-20)', async () => {
    const { create, verbs, admin, state } = await setUp();
    await create('projects', 'p', {});
    await verbs('projects').delete(admin(), 'p', deleteOptions);
    expect(state.namespace('platform-p-p')).toMatchObject({
      metadata: { deletionTimestamp: state.project('p')?.metadata.deletionTimestamp },
      status: { phase: 'Terminating' },
    });
    const late = await rejectionStatus(create('virtualclusterinstances', 'late', {}, admin('p')));
    expect(late).toMatchObject({ code: 403, details: { causes: [{ reason: 'NamespaceTerminating' }] } });
  });

  it('an instance create in progress fails when the deletion starts', async () => {
    const { create, verbs, admin, state } = await setUp();
    await create('projects', 'p', {});
    const context = admin('p');
    let asked: () => void = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    let answer: (allowed: boolean) => void = () => {};
    const answered = new Promise<boolean>((resolve) => {
      answer = resolve;
    });
    const slow = {
      ...context,
      may: () => {
        asked();
        return answered;
      },
    };
    const creating = rejectionStatus(create('virtualclusterinstances', 'late', { template: {} }, slow));
    await isAsked;
    await verbs('projects').delete(admin(), 'p', deleteOptions);
    answer(true);
    expect((await creating).code).toBe(403);
    expect([...state.instancesOf('p')]).toEqual([]);
  });

  it('a project is not deleted while an annotation protects one of its instances', async () => {
    const { create, verbs, admin } = await setUp();
    await create('projects', 'p', { allowedClusters: [{ name: '*' }], allowedTemplates: [{ name: '*' }] });
    await create('virtualclusterinstances', 'vc', {}, admin('p'));
    const protect = (value: string | null) =>
      verbs('virtualclusterinstances').patch(
        admin('p'),
        'vc',
        { type: 'merge', document: { metadata: { annotations: { [nonDeletableAnnotation]: value } } }, findings: [] },
        patchOptions,
      );
    await protect('true');
    expect(await rejectionStatus(verbs('projects').delete(admin(), 'p', deleteOptions))).toMatchObject({
      code: 403,
      message: expect.stringContaining('vc'),
    });
    await protect(null);
    expect(await verbs('projects').delete(admin(), 'p', deleteOptions)).toHaveProperty('pending');
  });

  it('a project name must be short enough for the namespace prefix', async () => {
    const { create } = await setUp();
    await create('projects', 'p'.repeat(52), {});
    expect((await rejectionStatus(create('projects', 'p'.repeat(53), {}))).code).toBe(422);
    expect((await rejectionStatus(create('projects', 'a.b', {}))).code).toBe(422);
  });

  it.each([
    [{ members: [{ kind: 'Robot', name: 'x', clusterRole: projectRoles.user }] }, 'spec.members[0].kind'],
    [{ members: [{ kind: 'User', name: 'x', clusterRole: 'cluster-admin' }] }, 'spec.members[0].clusterRole'],
    [{ members: [{ kind: 'User' }] }, 'spec.members[0].clusterRole'],
    [{ allowedClusters: [{ name: 'a' }, { name: 'a' }] }, 'spec.allowedClusters[1]'],
    [{ allowedTemplates: [{ kind: 'HelmTemplate', name: 'a' }] }, 'spec.allowedTemplates[0].kind'],
    [{ allowedTemplates: [{ name: '*', isDefault: true }] }, 'spec.allowedTemplates[0].isDefault'],
    [
      {
        allowedTemplates: [
          { name: 'a', isDefault: true },
          { name: 'b', isDefault: true },
        ],
      },
      'spec.allowedTemplates[1].isDefault',
    ],
    [{ quotas: { project: { pods: 1 } } }, 'spec.quotas.project'],
    [{ quotas: { user: { virtualclusterinstances: -1 } } }, 'spec.quotas.user[virtualclusterinstances]'],
    [{ owner: { user: 'a', team: 'b' } }, 'spec.owner.team'],
  ])('a project with %j is rejected at %s', async (spec, field) => {
    const { create } = await setUp();
    const status = await rejectionStatus(create('projects', 'p', spec));
    expect(status.code).toBe(422);
    expect(status.details?.causes?.map((cause) => cause.field)).toContain(field);
  });

  it('the creator becomes project admin, and admin-only fields are denied', async () => {
    const { create, as, merge } = await setUp();
    expect(await create('projects', 'p', { displayName: 'P' }, as('anna'))).toMatchObject({
      spec: { owner: { user: 'anna' }, members: [{ kind: 'User', name: 'anna', clusterRole: projectRoles.admin }] },
    });
    expect((await rejectionStatus(create('projects', 'q', { quotas: {} }, as('anna')))).message).toContain(
      'spec.quotas',
    );
    for (const spec of [
      { allowedClusters: [{ name: '*' }] },
      { allowedTemplates: [{ name: '*' }] },
      { quotas: {} },
      { requireTemplate: {} },
      { owner: { team: 'red', user: null } },
      { access: [{ verbs: ['*'], users: ['anna'] }] },
    ]) {
      expect((await rejectionStatus(merge('p', spec, as('anna')))).code).toBe(403);
      await merge('p', spec);
    }
    expect((await merge('p', { displayName: 'Q' }, as('anna'))).object).toMatchObject({ spec: { displayName: 'Q' } });
  });

  it('the subresources list members, templates and clusters', async () => {
    const { create, mounted, admin } = await setUp();
    await create('virtualclustertemplates', 'other', {});
    const members = [
      { kind: 'User', name: 'anna', clusterRole: projectRoles.user },
      { kind: 'Team', name: 'red', clusterRole: projectRoles.viewer },
    ];
    await create('projects', 'p', {
      members,
      allowedClusters: [{ name: 'local' }],
      allowedTemplates: [{ name: 'other' }],
    });
    const read = async (subresource: string, name = 'p') =>
      (await mounted('projects').subresources[subresource]?.verbs.get?.(admin(), name, latestVersion))?.object;
    expect(await read('members')).toMatchObject({
      kind: 'ProjectMembers',
      metadata: { name: 'p' },
      users: [
        {
          name: 'anna',
          displayName: 'Anna',
          clusterRoles: [projectRoles.user],
          info: { name: 'anna', displayName: 'Anna' },
        },
      ],
      teams: [{ name: 'red', clusterRoles: [projectRoles.viewer] }],
    });
    const templates = await read('templates');
    expect(templates).toMatchObject({
      kind: 'ProjectTemplates',
      virtualClusterTemplates: [{ metadata: { name: 'other' } }],
    });
    expect(templates).not.toHaveProperty('defaultVirtualClusterTemplate');
    expect(await read('templates', 'default')).toMatchObject({ defaultVirtualClusterTemplate: 'control-plane' });
    expect(await read('clusters')).toMatchObject({
      kind: 'ProjectClusters',
      clusters: [{ metadata: { name: 'local' } }],
    });
    expect((await rejectionStatus(read('members', 'none'))).code).toBe(404);
  });
});
