import { type JsonObject, type JsonValue, listAt, textAt, valueAt } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { instanceConditionTypes } from '../../api/management/v1/virtual-cluster-instance.ts';
import { nonDeletableAnnotation, projectRoles, sleepAfterAnnotation } from '../../api/naming.ts';
import type { RequestContext } from '../../registry/context.ts';
import {
  deleteOptions,
  dryRun,
  latestVersion,
  openManagementTestEnv,
  patchOptions,
  rejectionStatus,
  writeOptions,
} from '../management.fixture.ts';
import type { ManagementSettings } from '../settings.ts';

const plural = 'virtualclusterinstances';

async function setUp(project: JsonObject = {}, settings: Partial<ManagementSettings> = {}) {
  const management = await openManagementTestEnv(settings);
  const { create, admin, as, verbs, sent } = management;
  for (const name of ['anna', 'bob', 'carol']) await create('users', name, {});
  await create('teams', 'red', { users: ['anna'] });
  await create('virtualclustertemplates', 'sized', {
    versions: [
      { version: '1.0.0', parameters: [{ variable: 'size', type: 'number', max: 3, required: true }] },
      { version: '1.1.0', parameters: [{ variable: 'size', type: 'number', max: 9, required: true }] },
      { version: '2.0.0', template: {} },
    ],
  });
  await create('projects', 'p', {
    members: [
      { kind: 'User', name: 'anna', clusterRole: projectRoles.user },
      { kind: 'User', name: 'carol', clusterRole: projectRoles.admin },
    ],
    allowedClusters: [{ name: '*' }],
    allowedTemplates: [{ name: '*' }],
    ...project,
  });
  const make = (name: string, spec: JsonObject, context: RequestContext = as('anna', 'p')) =>
    create(plural, name, spec, context);
  const merge = (name: string, document: JsonObject, context: RequestContext = as('anna', 'p')) =>
    verbs(plural).patch(context, name, { type: 'merge', document, findings: [] }, patchOptions);
  const put = async (name: string, spec: JsonObject, context: RequestContext = as('anna', 'p')) => {
    const { resourceVersion = '' } = (await verbs(plural).get(context, name, latestVersion)).object.metadata;
    return (await verbs(plural).update(context, name, sent(plural, name, { spec }, { resourceVersion }), writeOptions))
      .object;
  };
  return { ...management, make, merge, put, admin };
}

const fieldsOf = async (call: Promise<unknown>) => {
  const status = await rejectionStatus(call);
  expect(status.code).toBe(422);
  return (status.details?.causes ?? []).map((cause) => cause.field);
};

describe('defaults of a new instance (completions §3)', () => {
  it('the create response contains the final owner, template and location, and the status of an instance that is not processed yet', async () => {
    const { make } = await setUp();
    const created = await make('vc', { clusterRef: {} });
    expect(created).toMatchObject({
      spec: {
        owner: { user: 'anna' },
        templateRef: { name: 'control-plane' },
        clusterRef: {
          cluster: 'local',
          namespace: expect.stringMatching(/^platform-p-v-vc-[0-9a-v]{6}$/),
          virtualCluster: 'vc',
        },
      },
    });
    expect(created.status).toMatchObject({ phase: 'Pending', reason: 'NotReconciled', observedGeneration: 0 });
    expect(created.metadata.managedFields).toHaveLength(1);
    expect(JSON.stringify(created.metadata.managedFields)).not.toContain('f:status');
    const conditions = listAt(created as JsonValue, 'status', 'conditions');
    expect(conditions.map((condition) => textAt(condition, 'type'))).toEqual([...instanceConditionTypes]);
    expect(new Set(conditions.map((condition) => textAt(condition, 'status')))).toEqual(new Set(['Unknown']));
  });

  it('the derived names fit the limits of hosts, however long the instance name is', async () => {
    const { create, as } = await setUp();
    const project = 'p'.repeat(52);
    const name = 'n'.repeat(63);
    await create('projects', project, { allowedClusters: [{ name: '*' }], allowedTemplates: [{ name: '*' }] });
    const created = await create(plural, name, {}, as('admin', project));
    const namespace = textAt(created, 'spec', 'clusterRef', 'namespace');
    expect(namespace.length).toBeLessThanOrEqual(63);
    expect(namespace).toMatch(/^platform-p+-[0-9a-v]{6}$/);
    expect(textAt(created, 'spec', 'clusterRef', 'virtualCluster')).toMatch(/^n{46}-[0-9a-v]{6}$/);
    expect((await rejectionStatus(create(plural, 'n'.repeat(64), {}, as('admin', project)))).code).toBe(422);
  });

  it('the allowed, reachable cluster with the fewest instances is chosen, or none', async () => {
    const { create, make, plane, system, merge } = await setUp({
      allowedClusters: [{ name: 'far' }, { name: 'near' }],
    });
    await create('clusters', 'far', { networkPeer: true });
    await create('clusters', 'near', { networkPeer: true });
    const open = await make('first', {});
    expect(valueAt(open, 'spec', 'clusterRef', 'cluster')).toBeUndefined();
    const online = (name: string) =>
      plane.kinds
        .get('clusters.management.platform.sh')
        ?.status?.patch(
          system(),
          name,
          { type: 'merge', document: { status: { online: true } }, findings: [] },
          patchOptions,
        );
    await online('near');
    expect(await make('second', {})).toMatchObject({ spec: { clusterRef: { cluster: 'near' } } });
    await online('far');
    expect(await make('third', {})).toMatchObject({ spec: { clusterRef: { cluster: 'far' } } });
    const updated = await merge('first', { spec: { clusterRef: { cluster: 'near' } } }, system('p'));
    expect(updated.object).toMatchObject({ spec: { clusterRef: { cluster: 'near' } } });
  });

  it('the defaults are kept when the original manifest is applied again', async () => {
    const { make, put } = await setUp();
    const manifest = { displayName: 'mine', clusterRef: {}, templateRef: {} };
    const created = await make('vc', manifest);
    const again = await put('vc', manifest);
    expect(again).toEqual(created);
    expect(await put('vc', { displayName: 'other' })).toMatchObject({
      metadata: { generation: 2 },
      spec: {
        clusterRef: valueAt(created, 'spec', 'clusterRef'),
        owner: { user: 'anna' },
        templateRef: { name: 'control-plane' },
      },
    });
  });
});

describe('validation of instances (completions §3)', () => {
  it('an instance outside a project or in a terminating one is rejected', async () => {
    const { make, as, verbs, admin } = await setUp();
    expect(await rejectionStatus(make('vc', {}, as('anna', 'nowhere')))).toMatchObject({
      code: 404,
      message: 'namespaces "platform-p-nowhere" not found',
    });
    const pending = await verbs('projects').delete(admin(), 'p', deleteOptions);
    expect(pending).toMatchObject({ pending: { object: { metadata: { finalizers: ['platform.sh/cleanup'] } } } });
    expect(await rejectionStatus(make('vc', {}))).toMatchObject({
      code: 403,
      message:
        'virtualclusterinstances.management.platform.sh "vc" is forbidden: unable to create new content in namespace platform-p-p because it is being terminated',
    });
  });

  it('all errors are reported at once', async () => {
    const { make, as } = await setUp({ allowedClusters: [{ name: 'x' }] });
    const wrong = {
      owner: { user: 'nobody' },
      templateRef: { name: 'sized', version: '1.x.x' },
      parameters: 'size: 10\nother: 1',
      clusterRef: { cluster: 'local', namespace: 'Bad_Name' },
    };
    expect(await fieldsOf(make('vc', wrong, as('admin', 'p')))).toEqual([
      'spec.owner.user',
      'spec.clusterRef.cluster',
      'spec.clusterRef.namespace',
      'spec.parameters.other',
      'spec.parameters.size',
    ]);
  });

  it('errors do not reveal clusters and templates that the project does not allow', async () => {
    const { make } = await setUp({ allowedClusters: [{ name: 'x' }], allowedTemplates: [{ name: 'x' }] });
    const refused = async (cluster: string, template: string) => {
      const spec = { templateRef: { name: template }, parameters: 'size: 10', clusterRef: { cluster } };
      const { details } = await rejectionStatus(make('vc', spec));
      return details?.causes?.map(({ reason, message, field }) => [
        reason,
        message?.replace(`cluster ${cluster}`, 'cluster C').replace(`template ${template}`, 'template T'),
        field,
      ]);
    };
    const ofReal = await refused('local', 'sized');
    expect(ofReal).toHaveLength(2);
    expect(await refused('none', 'neither')).toEqual(ofReal);
  });

  it.each([
    [{ templateRef: { name: 'none' } }, ['spec.templateRef.name']],
    [{ templateRef: { name: 'sized', version: '3.x.x' } }, ['spec.templateRef.version']],
    [{ templateRef: { name: 'sized', version: 'latest' } }, ['spec.templateRef.version']],
    [{ templateRef: { name: 'control-plane', version: '1.0.0' } }, ['spec.templateRef.version']],
    [{ templateRef: { name: 'sized', version: '1.0.0' }, parameters: 'size: 4' }, ['spec.parameters.size']],
    [{ templateRef: { name: 'sized', version: '1.x.x' } }, ['spec.parameters.size']],
    [{ templateRef: { name: 'sized' }, parameters: 'size: 4' }, ['spec.parameters.size']],
    [{ parameters: '[]' }, ['spec.parameters']],
    [{ clusterRef: { cluster: 'none' } }, ['spec.clusterRef.cluster']],
    [{ template: {}, templateRef: { name: 'sized' } }, ['spec.template']],
    [{ template: { helmRelease: { chart: { name: 'evil' } } } }, ['spec.template.helmRelease.chart.name']],
    [{ owner: { user: 'anna', team: 'red' } }, ['spec.owner.team']],
  ])('an instance with %j is rejected', async (spec, fields) => {
    const { make, as } = await setUp();
    expect(await fieldsOf(make('vc', spec, as('admin', 'p')))).toEqual(fields);
  });

  it('a project whose instances are large accepts only changes that make them smaller', async () => {
    const instances = { perProject: 0, perUser: 0, bytesPerProject: 10_000 };
    const { make, merge, as } = await setUp({}, { instances });
    await make('large', { description: 'x'.repeat(10_000) });
    const refused = await rejectionStatus(make('other', {}));
    expect([refused.code, refused.message]).toEqual([403, expect.stringContaining('instances.bytesPerProject')]);
    expect((await rejectionStatus(merge('large', { spec: { displayName: 'more' } }))).code).toBe(403);
    await merge('large', { spec: { description: 'less' } });
    await make('other', {}, as('anna', 'p'));
  });

  it('long texts, thousands of labels and a spec of more than 1 MiB are rejected', async () => {
    const { make, as, sent, verbs } = await setUp();
    const rejected = (spec: JsonObject) => fieldsOf(make('vc', spec, as('carol', 'p')));
    expect(await rejected({ displayName: 'x'.repeat(257) })).toEqual(['spec.displayName']);
    expect(await rejected({ description: 'x'.repeat(16_385) })).toEqual(['spec.description']);
    const labels = Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`label-${at}`, 'x']));
    expect(await rejected({ template: { metadata: { labels } } })).toEqual(['spec.template.metadata.labels']);
    const labelled = sent(plural, 'vc', { spec: {} }, { labels });
    expect(await fieldsOf(verbs(plural).create(as('carol', 'p'), labelled, writeOptions))).toEqual(['metadata.labels']);
    const large = (length: number) => ({ template: { objects: '#'.repeat(length) } });
    expect(await rejected(large(1024 * 1024))).toEqual(['spec']);
    await make('vc', { ...large(1_000_000), description: 'x'.repeat(16_384) }, as('carol', 'p'));
  });

  it('lists of permissions with thousands of entries are rejected', async () => {
    const { make } = await setUp();
    const users = Array.from({ length: 2_000 }, (_, at) => `user-${at}`);
    expect(await fieldsOf(make('vc', { access: [{ verbs: ['get'], users }] }))).toEqual(['spec.access']);
    const rule = { clusterRole: 'view', users };
    expect(await fieldsOf(make('vc', { extraAccessRules: [rule] }))).toEqual(['spec.extraAccessRules']);
    await make('vc', { access: [{ verbs: ['get'], users: users.slice(0, 900) }] });
  });

  it('an unusable cluster and a template that the project does not allow are rejected', async () => {
    const { make, create } = await setUp({ allowedTemplates: [{ name: 'sized', isDefault: true }] });
    await create('clusters', 'full', { networkPeer: true, unusable: true });
    expect(await fieldsOf(make('vc', { clusterRef: { cluster: 'full' } }))).toEqual(['spec.clusterRef.cluster']);
    expect(await fieldsOf(make('vc', { templateRef: { name: 'control-plane' } }))).toEqual(['spec.templateRef.name']);
    expect(await make('vc', {})).toMatchObject({ spec: { templateRef: { name: 'sized' } } });
  });

  it('the location is immutable once it is set', async () => {
    const { make, merge, as } = await setUp();
    await make('vc', {});
    const location = { cluster: 'elsewhere', namespace: 'other', virtualCluster: 'other' };
    expect(await fieldsOf(merge('vc', { spec: { clusterRef: location } }, as('admin', 'p')))).toEqual([
      'spec.clusterRef.cluster',
      'spec.clusterRef.namespace',
      'spec.clusterRef.virtualCluster',
    ]);
  });

  it('a location that another instance has is rejected with 409', async () => {
    const { make, as } = await setUp();
    const location = { cluster: 'local', namespace: 'shared', virtualCluster: 'v' };
    await make('one', { clusterRef: location }, as('admin', 'p'));
    expect(await rejectionStatus(make('two', { clusterRef: location }, as('admin', 'p')))).toMatchObject({
      code: 409,
      reason: 'Conflict',
    });
    await make('three', { clusterRef: { ...location, virtualCluster: 'w' } }, as('admin', 'p'));
  });
});

describe('permissions on instance fields (completions §3)', () => {
  it('only project admins may set another owner', async () => {
    const { make, merge, as } = await setUp();
    expect((await rejectionStatus(make('vc', { owner: { user: 'bob' } }))).code).toBe(403);
    expect(await make('vc', { owner: { user: 'bob' } }, as('carol', 'p'))).toMatchObject({
      spec: { owner: { user: 'bob' } },
    });
    expect((await rejectionStatus(merge('vc', { spec: { owner: { user: 'anna' } } }))).code).toBe(403);
    const given = await merge('vc', { spec: { owner: { user: null, team: 'red' } } }, as('carol', 'p'));
    expect(valueAt(given.object, 'spec', 'owner')).toEqual({ team: 'red' });
  });

  it('only admins may set namespace, virtual cluster and external', async () => {
    const { make, merge, as } = await setUp();
    for (const spec of [
      { clusterRef: { namespace: 'n' } },
      { clusterRef: { virtualCluster: 'v' } },
      { external: true },
    ]) {
      expect((await rejectionStatus(make('vc', spec))).code).toBe(403);
      expect((await rejectionStatus(make('vc', spec, as('carol', 'p')))).code).toBe(403);
    }
    await make('vc', {});
    expect((await rejectionStatus(merge('vc', { spec: { external: true } }))).code).toBe(403);
    expect(await make('ext', { external: true }, as('admin', 'p'))).not.toHaveProperty('spec.templateRef');
  });

  it('an inline template, or none where one is required, needs the permission restricted', async () => {
    const { make, merge, as } = await setUp({ requireTemplate: { disabled: false } });
    expect(await rejectionStatus(make('vc', { template: {} }))).toMatchObject({
      code: 403,
      message: expect.stringContaining('inline'),
    });
    expect(await rejectionStatus(make('vc', {}))).toMatchObject({
      code: 403,
      message: expect.stringContaining('requires a template'),
    });
    await make('vc', { templateRef: { name: 'control-plane' } });
    expect((await rejectionStatus(merge('vc', { spec: { templateRef: null, template: {} } }))).code).toBe(403);
    expect(await make('inline', { template: {} }, as('admin', 'p'))).not.toHaveProperty('spec.templateRef');
  });

  it('the quotas of the project and of each owner are enforced', async () => {
    const limits = { project: { virtualclusterinstances: 3 }, user: { virtualclusterinstances: '2' } };
    const { make, merge, as } = await setUp({ quotas: limits });
    await make('a1', {});
    await make('a2', {});
    expect((await rejectionStatus(make('a3', {}))).message).toContain('exceeded quota of user "anna"');
    await make('b1', {}, as('bob', 'p'));
    expect((await rejectionStatus(make('b2', {}, as('bob', 'p')))).message).toContain('exceeded quota of project "p"');
    expect((await rejectionStatus(merge('b1', { spec: { owner: { user: 'anna' } } }, as('admin', 'p')))).code).toBe(
      403,
    );
    expect((await merge('a1', { spec: { displayName: 'x' } })).object).toMatchObject({ spec: { displayName: 'x' } });
  });

  it('a quota holds for concurrent creates', async () => {
    const { create, admin, state } = await setUp();
    await create('projects', 'small', {
      allowedClusters: [{ name: '*' }],
      allowedTemplates: [{ name: '*' }],
      quotas: { project: { virtualclusterinstances: 3 } },
    });
    const created = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => create(plural, `vc${index}`, {}, admin('small'))),
    );
    expect(created.filter((result) => result.status === 'fulfilled')).toHaveLength(3);
    expect([...state.instancesOf('small')]).toHaveLength(3);
    expect((await rejectionStatus(create(plural, 'more', {}, admin('small')))).message).toContain(
      'exceeded quota of project "small", requested: virtualclusterinstances=1, used: virtualclusterinstances=3',
    );
  });

  it('the defaults of the server apply where the project sets no quota, and not to admins', async () => {
    const { make, merge, as, remove, create } = await setUp(
      {},
      { instances: { perProject: 3, perUser: 2, bytesPerProject: 0 } },
    );
    await make('a1', {});
    await make('a2', {});
    const { code, message } = await rejectionStatus(make('a3', {}));
    expect([code, message]).toEqual([
      403,
      'virtualclusterinstances.management.platform.sh "a3" is forbidden: exceeded quota of user "anna", requested: virtualclusterinstances=1, used: virtualclusterinstances=2, limited: virtualclusterinstances=2; the limit is the server setting instances.perUser; delete instances, or ask an admin to set spec.quotas.user of the project',
    ]);
    await make('c1', {}, as('carol', 'p'));
    expect((await rejectionStatus(make('c2', {}, as('carol', 'p')))).message).toContain(
      'exceeded quota of project "p", requested: virtualclusterinstances=1, used: virtualclusterinstances=3, limited: virtualclusterinstances=3; the limit is the server setting instances.perProject',
    );
    const given = merge('c1', { spec: { owner: { user: 'anna' } } }, as('carol', 'p'));
    expect((await rejectionStatus(given)).message).toContain('exceeded quota of user "anna"');
    await make('c2', { owner: { user: 'anna' } }, as('admin', 'p'));
    expect((await merge('a1', { spec: { displayName: 'x' } })).object).toMatchObject({ spec: { displayName: 'x' } });
    await remove(plural, 'c2', 'p');
    await remove(plural, 'a2', 'p');
    await make('a3', {});
    await create('projects', 'generous', {
      members: [{ kind: 'User', name: 'anna', clusterRole: projectRoles.user }],
      allowedClusters: [{ name: '*' }],
      allowedTemplates: [{ name: '*' }],
      quotas: { project: { virtualclusterinstances: 4 }, user: { virtualclusterinstances: 4 } },
    });
    for (const name of ['g1', 'g2', 'g3', 'g4']) await make(name, {}, as('anna', 'generous'));
    expect((await rejectionStatus(make('g5', {}, as('anna', 'generous')))).code).toBe(403);
  });

  it.each([1, 3])('a default of %i holds for concurrent creates; 0 means no limit', async (perUser) => {
    const limited = await setUp({}, { instances: { perProject: 0, perUser, bytesPerProject: 0 } });
    const attempt = ({ make }: Pick<typeof limited, 'make'>) =>
      Promise.allSettled(Array.from({ length: 10 }, (_, index) => make(`vc${index}`, {})));
    expect((await attempt(limited)).filter((result) => result.status === 'fulfilled')).toHaveLength(perUser);
    const unlimited = await setUp({}, { instances: { perProject: 0, perUser: 0, bytesPerProject: 0 } });
    expect((await attempt(unlimited)).filter((result) => result.status === 'fulfilled')).toHaveLength(10);
  });

  it('the sleep and delete annotations must be seconds', async () => {
    const { make, merge } = await setUp();
    await make('vc', {});
    const annotated = (value: string) => merge('vc', { metadata: { annotations: { [sleepAfterAnnotation]: value } } });
    expect(await fieldsOf(annotated('soon'))).toEqual([`metadata.annotations[${sleepAfterAnnotation}]`]);
    await annotated('3600');
  });

  it('an instance is not deleted while an annotation protects it', async () => {
    const { make, merge, verbs, as } = await setUp();
    await make('vc', {});
    await merge('vc', { metadata: { annotations: { [nonDeletableAnnotation]: 'true' } } });
    expect((await rejectionStatus(verbs(plural).delete(as('admin', 'p'), 'vc', deleteOptions))).code).toBe(403);
    await merge('vc', { metadata: { annotations: { [nonDeletableAnnotation]: null } } });
    expect(await verbs(plural).delete(as('admin', 'p'), 'vc', deleteOptions)).toHaveProperty('pending');
  });
});

describe('updates of an instance', () => {
  it('an update succeeds although referenced objects have been deleted', async () => {
    const { make, merge, verbs, admin } = await setUp();
    await make('vc', { templateRef: { name: 'sized', version: '1.1.0' }, parameters: 'size: 9' });
    await verbs('virtualclustertemplates').delete(admin(), 'sized', deleteOptions);
    await verbs('clusters').delete(admin(), 'local', deleteOptions);
    expect((await merge('vc', { spec: { displayName: 'x' } })).object.metadata.generation).toBe(2);
    expect(await fieldsOf(merge('vc', { spec: { templateRef: { version: '2.0.0' } } }))).toEqual([
      'spec.templateRef.name',
    ]);
  });

  it('an update can change the template and its version', async () => {
    const { make, merge, put } = await setUp();
    await make('vc', { templateRef: { name: 'sized', version: '1.0.0' }, parameters: 'size: 3' });
    expect(await fieldsOf(merge('vc', { spec: { templateRef: { version: '2.0.0' } } }))).toEqual([
      'spec.parameters.size',
    ]);
    const changed = await merge('vc', { spec: { templateRef: { version: '1.x.x' }, parameters: 'size: 9' } });
    expect(changed.object).toMatchObject({ spec: { templateRef: { name: 'sized', version: '1.x.x' } } });
    expect(await put('vc', { templateRef: { version: '2.0.0' } })).toMatchObject({
      spec: { templateRef: { name: 'sized', version: '2.0.0' } },
    });
  });

  it('an update adds no template to an instance imported without one', async () => {
    const { create, system, merge, as } = await setUp();
    const clusterRef = { cluster: 'local', namespace: 'n', virtualCluster: 'v' };
    const imported = await create(plural, 'imp', { clusterRef, owner: { user: 'anna' } }, system('p'));
    expect(imported).not.toHaveProperty('spec.templateRef');
    const touched = await merge('imp', { metadata: { labels: { a: 'b' } } }, as('anna', 'p'));
    expect(touched.object).not.toHaveProperty('spec.templateRef');
  });

  it('a status in a client request is ignored', async () => {
    const { merge, verbs, sent, as } = await setUp();
    const body = { ...sent(plural, 'vc', { spec: {} }), status: { phase: 'Ready', serviceUID: 'forged' } };
    const made = (await verbs(plural).create(as('anna', 'p'), body, writeOptions)).object;
    expect(made.status).toMatchObject({ phase: 'Pending' });
    expect(made.status).not.toHaveProperty('serviceUID');
    expect((await merge('vc', { status: { phase: 'Ready' } })).object.status).toEqual(made.status);
  });

  it('a dry run changes nothing', async () => {
    const { verbs, sent, as, state } = await setUp();
    const answer = await verbs(plural).create(as('anna', 'p'), sent(plural, 'vc', { spec: {} }), dryRun);
    expect(textAt(answer.object, 'spec', 'clusterRef', 'cluster')).toBe('local');
    expect([...state.instancesOf('p')]).toEqual([]);
  });
});
