import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { projectRoles } from '../api/naming.ts';
import type { RequestContext } from '../registry/context.ts';
import { openManagementTestEnv, patchOptions, rejectionStatus, writeOptions } from './management.fixture.ts';

const plural = 'virtualclusterinstances';
const privileged = { spaceTemplate: { objects: 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}' } };
const modest = { helmRelease: { values: 'sleepMode: {enabled: true}' }, objects: 'kind: Namespace' };

async function setUp(access: JsonObject[] = []) {
  const env = await openManagementTestEnv();
  for (const name of ['carol', 'dave']) await env.create('users', name, {});
  await env.create('projects', 'p', {
    allowedClusters: [{ name: '*' }],
    allowedTemplates: [{ name: '*' }],
    members: ['carol', 'dave'].map((name) => ({ kind: 'User', name, clusterRole: projectRoles.admin })),
    access,
  });
  const make = (name: string, template: JsonObject, user = 'carol') =>
    env.create(plural, name, { template }, env.as(user, 'p'));
  const merge = (kind: string, name: string, document: JsonObject, context: RequestContext) =>
    env.verbs(kind).patch(context, name, { type: 'merge', document, findings: [] }, patchOptions);
  return { ...env, make, merge };
}

describe('an inline template', () => {
  it('of a project admin may not act on the host; the error names the field', async () => {
    const { make } = await setUp();
    expect(await rejectionStatus(make('a', privileged))).toMatchObject({
      code: 403,
      message: expect.stringContaining('spec.template.spaceTemplate'),
      details: { causes: [{ field: 'spec.template.spaceTemplate' }] },
    });
    expect(await make('b', modest)).toMatchObject({ status: { hostAccess: 'Restricted' } });
  });

  it('of an admin may, and changes of other fields keep that', async () => {
    const { make, merge, as } = await setUp();
    expect(await make('a', privileged, 'admin')).toMatchObject({ status: { hostAccess: 'Granted' } });
    const renamed = await merge(plural, 'a', { spec: { displayName: 'A' } }, as('carol', 'p'));
    expect(renamed.object).toMatchObject({ status: { hostAccess: 'Granted' } });
    const changed = { spec: { template: { metadata: { labels: { a: 'b' } } } } };
    expect((await rejectionStatus(merge(plural, 'a', changed, as('carol', 'p')))).code).toBe(403);
    const replaced = await merge(
      plural,
      'a',
      { spec: { template: { spaceTemplate: null, ...modest } } },
      as('carol', 'p'),
    );
    expect(replaced.object).toMatchObject({ status: { hostAccess: 'Restricted' } });
    const removed = await merge(plural, 'a', { spec: { template: null } }, as('carol', 'p'));
    expect(removed.object).not.toHaveProperty('status.hostAccess');
  });

  it('of a user whom the access list of the project names with hostaccess may', async () => {
    const { make } = await setUp([{ verbs: ['use'], subresources: ['hostaccess'], users: ['dave'] }]);
    expect(await make('a', privileged, 'dave')).toMatchObject({ status: { hostAccess: 'Granted' } });
    expect((await rejectionStatus(make('b', privileged))).code).toBe(403);
  });

  it('may not add a label without a value to the host namespace', async () => {
    const { make } = await setUp();
    const labelled = { spaceTemplate: { metadata: { labels: { found: '' } } } };
    expect((await rejectionStatus(make('a', labelled))).code).toBe(403);
    await make('b', { spaceTemplate: { metadata: { labels: {} } } });
  });

  it('gets no host access from a use entry without the subresource, or from a status in the request', async () => {
    const { make, verbs, sent, as } = await setUp([{ verbs: ['use'], users: ['carol'] }]);
    expect((await rejectionStatus(make('a', privileged))).code).toBe(403);
    const object = sent(plural, 'c', { spec: { template: modest }, status: { hostAccess: 'Granted' } });
    const created = await verbs(plural).create(as('carol', 'p'), object, writeOptions);
    expect(created.object).toMatchObject({ status: { hostAccess: 'Restricted' } });
  });
});

describe('a template', () => {
  const access = [{ verbs: ['get', 'update', 'patch'], users: ['carol', 'dave'] }];

  it('of an admin acts on hosts; somebody who may change it must leave out what acts on hosts', async () => {
    const { create, merge, as } = await setUp();
    const created = await create('virtualclustertemplates', 't', { template: privileged, access });
    expect(created).toMatchObject({ status: { hostAccess: 'Granted' } });
    const change = (spec: JsonObject) => merge('virtualclustertemplates', 't', { spec }, as('carol', ''));
    expect((await change({ displayName: 'T' })).object).toMatchObject({ status: { hostAccess: 'Granted' } });
    // A parameter could change what the template renders to.
    expect(await rejectionStatus(change({ parameters: [{ variable: 'x' }] }))).toMatchObject({
      code: 403,
      message: expect.stringContaining('spec.template.spaceTemplate'),
    });
    const versions = [{ version: '1.0.0', template: privileged }];
    expect(await rejectionStatus(change({ template: modest, versions }))).toMatchObject({
      message: expect.stringContaining('spec.versions[0].template.spaceTemplate'),
    });
    const modestOnly = await change({ template: { spaceTemplate: null, ...modest } });
    expect(modestOnly.object).toMatchObject({ status: { hostAccess: 'Restricted' } });
  });

  it('gets host access from an entry that names the subresource', async () => {
    const { create, merge, as } = await setUp();
    const more = [...access, { verbs: ['use'], subresources: ['hostaccess'], users: ['dave'] }];
    await create('virtualclustertemplates', 't', { template: modest, access: more });
    const change = (user: string) =>
      merge('virtualclustertemplates', 't', { spec: { template: privileged } }, as(user, ''));
    expect((await rejectionStatus(change('carol'))).code).toBe(403);
    expect((await change('dave')).object).toMatchObject({ status: { hostAccess: 'Granted' } });
  });
});
