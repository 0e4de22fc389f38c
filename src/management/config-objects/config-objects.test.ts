import { type JsonObject, textAt } from '@flotilla/json';
import { afterEach, describe, expect, it } from 'vitest';
import { secretKind } from '../../api/core/secret.ts';
import { projectNamespace, projectRoles } from '../../api/naming.ts';
import { dumpStoreAsText } from '../../controlplane/core/core.fixture.ts';
import type { RequestContext } from '../../registry/context.ts';
import {
  deleteOptions,
  listOptions,
  type ManagementTestEnv,
  openManagementTestEnv,
  patchOptions,
  rejectionStatus,
  watchOptions,
  writeOptions,
} from '../management.fixture.ts';
import { defaultManagementSettings } from '../settings.ts';

let env: ManagementTestEnv;
afterEach(() => env.plane.close());

async function open(limits: Partial<typeof defaultManagementSettings.projects> = {}) {
  env = await openManagementTestEnv({ projects: { ...defaultManagementSettings.projects, ...limits } });
  for (const name of ['anna', 'bob', 'chief']) await env.create('users', name, {});
  const member = (name: string, role: keyof typeof projectRoles) => ({
    kind: 'User',
    name,
    clusterRole: projectRoles[role],
  });
  const members = [member('anna', 'user'), member('bob', 'user'), member('chief', 'admin')];
  for (const project of ['red', 'blue']) await env.create('projects', project, { members });
}

const make = (plural: string, name: string, members: JsonObject, context: RequestContext = env.as('anna', 'red')) =>
  env.verbs(plural).create(context, env.sent(plural, name, members), writeOptions);

const merge = (plural: string, name: string, document: JsonObject, context: RequestContext) =>
  env.verbs(plural).patch(context, name, { type: 'merge', document, findings: [] }, patchOptions);

/** The context of a list or watch, with the filter that the request handlers add. */
function listing(user: string): RequestContext {
  const context = env.as(user, 'red');
  const mayRead = env.plane.mayRead({ user: context.user, system: false, signal: context.signal }, secretKind, 'list');
  return { ...context, ...(mayRead === undefined ? {} : { mayRead }) };
}

describe('Secrets and ConfigMaps of projects', () => {
  it('exist only in namespaces of projects that are not being deleted (CREATE-19, CREATE-20)', async () => {
    await open();
    for (const plural of ['secrets', 'configmaps']) {
      for (const namespace of ['default', projectNamespace('nowhere')]) {
        expect(await rejectionStatus(make(plural, 'a', {}, { ...env.admin(), namespace }))).toMatchObject({
          code: 404,
          message: `namespaces "${namespace}" not found`,
        });
      }
      expect((await make(plural, 'a', {})).object.metadata.namespace).toBe(projectNamespace('red'));
    }
    await env.verbs('projects').delete(env.admin(), 'red', deleteOptions);
    for (const plural of ['secrets', 'configmaps']) {
      expect(await rejectionStatus(make(plural, 'b', {}))).toMatchObject({
        code: 403,
        message: expect.stringContaining('because it is being terminated'),
        details: { causes: [{ reason: 'NamespaceTerminating' }] },
      });
      await merge(plural, 'a', { metadata: { labels: { a: 'b' } } }, env.as('anna', 'red'));
    }
  });

  it('have the rules of Kubernetes: types, stringData, immutable', async () => {
    await open();
    const made = (await make('secrets', 'a', { stringData: { key: 'x' }, immutable: true })).object;
    expect(made).toMatchObject({ type: 'Opaque', data: { key: 'eA==' } });
    const change = merge('secrets', 'a', { stringData: { key: 'y' } }, env.as('anna', 'red'));
    expect((await rejectionStatus(change)).code).toBe(422);
    expect((await rejectionStatus(make('configmaps', 'a', { data: { '..': 'x' } }))).code).toBe(422);
  });

  it('belong to their creator, and no response contains the owner', async () => {
    await open();
    const made = (await make('secrets', 'a', { stringData: { key: 'x' } })).object;
    expect(Object.keys(made)).toEqual(['kind', 'apiVersion', 'metadata', 'data', 'type']);
    expect(JSON.stringify(made)).not.toContain('anna');
    expect(env.state.configObject(secretKind, projectNamespace('red'), 'a')?.spec).toEqual({
      owner: { user: 'anna', team: '' },
    });
    await merge('secrets', 'a', { stringData: { key: 'y' } }, env.as('chief', 'red'));
    expect(env.state.configObject(secretKind, projectNamespace('red'), 'a')?.spec?.owner?.user).toBe('anna');
  });

  it('are changed and deleted only by their owner and the project admins, also after the request was authorized', async () => {
    await open();
    for (const plural of ['secrets', 'configmaps']) {
      await make(plural, 'a', {});
      const bob = env.as('bob', 'red');
      const change = { metadata: { labels: { changed: 'yes' } } };
      expect((await rejectionStatus(merge(plural, 'a', change, bob))).code).toBe(403);
      expect((await rejectionStatus(env.verbs(plural).delete(bob, 'a', deleteOptions))).code).toBe(403);
      await merge(plural, 'a', change, env.as('anna', 'red'));
      await env.verbs(plural).delete(env.as('chief', 'red'), 'a', deleteOptions);
    }
  });

  it('appear in no error of a patch that was authorized before they existed', async () => {
    await open();
    await make('secrets', 'release', { data: { key: 'aHVzaA==' } });
    for (const path of ['/metadata/name', '/kind']) {
      const operations = [{ op: 'copy', from: '/data/key', path }];
      const patch = { type: 'json', operations, findings: [] } as const;
      const patching = env.verbs('secrets').patch(env.as('bob', 'red'), 'release', patch, patchOptions);
      const status = await rejectionStatus(patching);
      expect(status.code).toBe(403);
      expect(JSON.stringify(status)).not.toContain('aHVzaA');
    }
  });

  it('are listed and watched by their readers alone, and their deletion is reported to their readers', async () => {
    await open();
    await make('secrets', 'of-anna', {});
    await make('secrets', 'of-bob', {}, env.as('bob', 'red'));
    const namesOf = async (user: string) =>
      (await env.verbs('secrets').list(listing(user), listOptions)).items.map((item) => item.object.metadata.name);
    expect(await namesOf('anna')).toEqual(['of-anna']);
    expect(await namesOf('bob')).toEqual(['of-bob']);
    expect(await namesOf('chief')).toEqual(['of-anna', 'of-bob']);

    const { resourceVersion } = await env.verbs('secrets').list(listing('anna'), listOptions);
    const live = await env.verbs('secrets').watch(listing('anna'), { ...watchOptions, resourceVersion });
    for (const name of ['of-bob', 'of-anna']) {
      await env.verbs('secrets').delete(env.as('chief', 'red'), name, deleteOptions);
    }
    const resumed = await env.verbs('secrets').watch(listing('anna'), { ...watchOptions, resourceVersion });
    for (const stream of [live, resumed]) {
      const { value: event } = await stream[Symbol.asyncIterator]().next();
      expect(event).toMatchObject({ type: 'DELETED', object: { object: { metadata: { name: 'of-anna' } } } });
      stream.close();
    }
  });

  it('are sealed in the store if they are Secrets', async () => {
    await open();
    const canary = 'canary-5e1d';
    await make('secrets', 'a', { stringData: { password: canary } });
    await make('configmaps', 'a', { data: { plain: 'known-text' } });
    const rows = await dumpStoreAsText(env.store);
    expect(rows).toContain('known-text');
    for (const clear of [canary, Buffer.from(canary).toString('base64'), 'password']) expect(rows).not.toContain(clear);
  });
});

describe('the quota of Secrets and ConfigMaps', () => {
  it('limits the number of each kind per project, and not the admins of the installation', async () => {
    await open({ maxSecrets: 2, maxConfigMaps: 1 });
    const concurrent = await Promise.allSettled(['a', 'b', 'c'].map((name) => make('secrets', name, {})));
    expect(concurrent.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    await make('configmaps', 'a', {});
    expect(await rejectionStatus(make('configmaps', 'b', {}))).toMatchObject({
      code: 403,
      message: expect.stringContaining(
        'exceeded quota of project "red", requested: configmaps=1, used: configmaps=1, limited: configmaps=1; the limit is the server setting projects.maxConfigMaps',
      ),
    });
    await make('secrets', 'a', {}, env.as('anna', 'blue'));
    await merge('secrets', 'a', { stringData: { key: 'x' } }, env.as('anna', 'red'));
    await make('secrets', 'd', {}, env.admin('red'));
    for (const name of ['a', 'b']) await env.verbs('secrets').delete(env.as('anna', 'red'), name, deleteOptions);
    await make('secrets', 'e', {});
  });

  it('limits the bytes of both kinds together; an update that makes an object smaller is always allowed', async () => {
    await open({ maxConfigBytes: 3_000 });
    const text = (length: number) => 'x'.repeat(length);
    await make('configmaps', 'a', { data: { text: text(1_500) } });
    expect(await rejectionStatus(make('secrets', 'b', { data: { text: text(1_500) } }))).toMatchObject({
      code: 403,
      message: expect.stringContaining('the limit is 3000 bytes (server setting projects.maxConfigBytes)'),
    });
    const grow = merge('configmaps', 'a', { data: { text: text(3_500) } }, env.as('anna', 'red'));
    expect((await rejectionStatus(grow)).code).toBe(403);
    await merge('configmaps', 'a', { data: { text: text(3_600) } }, env.admin('red'));
    // The update is refused although it adds no content, because it may add field managers.
    const same = merge('configmaps', 'a', { data: { text: text(3_590) } }, env.as('anna', 'red'));
    expect((await rejectionStatus(same)).code).toBe(403);
    const smaller = await merge('configmaps', 'a', { data: { text: text(10) } }, env.as('anna', 'red'));
    expect(textAt(smaller.object, 'data', 'text')).toBe(text(10));
    await make('secrets', 'b', { data: { text: text(1_500) } });
  });

  it('has no limit if a setting is 0', async () => {
    await open({ maxSecrets: 0, maxConfigMaps: 0, maxConfigBytes: 0 });
    for (const plural of ['secrets', 'configmaps']) await make(plural, 'a', {});
  });
});
