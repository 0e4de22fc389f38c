import { type JsonObject, type JsonValue, listAt, textAt, valueAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteAfterAnnotation, projectRoles, sleepForceAnnotation } from '../../src/api/naming.ts';
import { inPhase, isGone, isReconciled, spacesOf, waitForInstance } from '../../src/server/instances.fixture.ts';
import { groupPath, mergePatch, type RequestOptions, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

const spaces = spacesOf('red');
const local = '/kubernetes/cluster/local';

describe('spaces on the built-in cluster (completions §12)', () => {
  let bench: ServerTestEnv;
  let server: RunningServer;
  const keys = new Map<string, string>();

  const post = (body: JsonValue): RequestOptions => ({ method: 'POST', body });
  const ask = (path: string, call: RequestOptions = {}, who?: string) =>
    bench.send(server, path, who === undefined ? call : { ...call, token: keys.get(who) ?? '' });
  const waitFor = (name: string, has: (space: JsonObject | undefined) => boolean) =>
    waitForInstance(bench, server, { project: 'red', plural: 'spaceinstances', name }, has);
  const namespaceOf = (space: JsonObject) => textAt(space, 'spec', 'clusterRef', 'namespace');
  const bindingsIn = async (namespace: string) => {
    const { json } = await ask(`${local}/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`);
    return listAt(json, 'items').map((item): [string, string[]] => [
      textAt(item, 'roleRef', 'name'),
      listAt(item, 'subjects').map((subject) => textAt(subject, 'name')),
    ]);
  };
  const created = async (name: string, spec: JsonObject = {}, who = 'anna') => {
    const answer = await ask(spaces, post({ metadata: { name }, spec }), who);
    expect(answer.code, answer.text).toBe(201);
    return await waitFor(name, inPhase('Ready'));
  };

  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    server = await bench.start();
    for (const user of ['anna', 'ben', 'chief']) {
      await ask(`${groupPath}/users`, post({ metadata: { name: user } }));
      const { json } = await ask(`${groupPath}/ownedaccesskeys`, post({ metadata: { name: user }, spec: { user } }));
      keys.set(user, textAt(json, 'spec', 'key'));
    }
    const member = (name: string, clusterRole: string) => ({ kind: 'User', name, clusterRole });
    const { code, text } = await ask(
      `${groupPath}/projects`,
      post({
        metadata: { name: 'red' },
        spec: {
          members: [
            member('anna', projectRoles.user),
            member('ben', projectRoles.user),
            member('chief', projectRoles.admin),
          ],
          allowedClusters: [{ name: 'local' }],
          allowedTemplates: [{ kind: 'SpaceTemplate', name: 'shop' }],
          quotas: { user: { spaceinstances: 4 } },
        },
      }),
    );
    expect(code, text).toBe(201);
  });
  afterAll(() => bench.close());

  it('create a namespace with the roles of their users, and become Ready', async () => {
    const space = await created('first', { displayName: 'First' });
    const namespace = namespaceOf(space);
    expect(namespace).toMatch(/^platform-red-s-first-[0-9a-v]{6}$/);
    expect(valueAt(space, 'status', 'hostNamespace')).toMatchObject({ cluster: 'local', name: namespace });
    const conditions = listAt(space, 'status', 'conditions').map((one) => [textAt(one, 'type'), textAt(one, 'status')]);
    expect(conditions).toEqual([
      ['Scheduled', 'True'],
      ['TemplateResolved', 'True'],
      ['SpaceReady', 'True'],
      ['Ready', 'True'],
    ]);
    expect((await ask(`${local}/api/v1/namespaces/${namespace}`)).code).toBe(200);
    expect(await bindingsIn(namespace)).toEqual([['admin', ['platform:user:anna', 'platform:user:chief']]]);
    const { json: events } = await ask('/kubernetes/management/api/v1/namespaces/platform-p-red/events', {}, 'anna');
    expect(listAt(events, 'items').map((event) => textAt(event, 'reason'))).toContain('Installed');
  });

  it('are visible to their owner and to those with whom they are shared', async () => {
    await created('shared');
    expect((await ask(`${spaces}/shared`, {}, 'ben')).code).toBe(403);
    const access = [{ verbs: ['get', 'use'], users: ['ben'] }];
    const extraAccessRules = [{ users: ['ben'], clusterRole: 'view' }];
    const patched = await ask(`${spaces}/shared`, mergePatch({ spec: { access, extraAccessRules } }), 'anna');
    expect(patched.code, patched.text).toBe(200);
    const space = await waitFor('shared', isReconciled);
    expect((await ask(`${spaces}/shared`, {}, 'ben')).code).toBe(200);
    expect(await bindingsIn(namespaceOf(space))).toEqual([
      ['admin', ['platform:user:anna', 'platform:user:chief']],
      ['view', ['platform:user:ben']],
    ]);
    const stronger = { spec: { extraAccessRules: [{ users: ['ben'], clusterRole: 'cluster-admin' }] } };
    const refused = await ask(`${spaces}/shared`, mergePatch(stronger), 'anna');
    expect(refused.code).toBe(403);
    expect(refused.text).toContain('spec.extraAccessRules[0].clusterRole');
    const review = { spec: { spaceInstance: { project: 'red', name: 'shared' } } };
    const reviewed = await ask(`${groupPath}/effectiveaccessreviews`, post(review));
    const roles = listAt(reviewed.json, 'status', 'entries').flatMap((entry) =>
      textAt(entry, 'subject', 'name') === 'ben' ? [valueAt(entry, 'clusterRoles') ?? null] : [],
    );
    expect(roles).toContainEqual(['view']);
  });

  it('grant access to the current admins of the project', async () => {
    const space = await created('led');
    const { json } = await ask(`${groupPath}/projects/red`);
    const members = [...listAt(json, 'spec', 'members')];
    await ask(
      `${groupPath}/projects/red`,
      mergePatch({ spec: { members: members.filter((one) => textAt(one, 'name') !== 'chief') } }),
    );
    await expect.poll(() => bindingsIn(namespaceOf(space))).toEqual([['admin', ['platform:user:anna']]]);
    await ask(`${groupPath}/projects/red`, mergePatch({ spec: { members } }));
    await expect
      .poll(() => bindingsIn(namespaceOf(space)))
      .toEqual([['admin', ['platform:user:anna', 'platform:user:chief']]]);
  });

  it('apply the metadata, the objects, the roles and the parameters of their template', async () => {
    const template = {
      metadata: { labels: { tier: '{{ .Values.tier }}' } },
      objects: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  tier: {{ .Values.tier }}\n',
      access: { defaultClusterRole: 'edit' },
    };
    const spec = { template, parameters: [{ variable: 'tier', options: ['gold', 'silver'], required: true }] };
    expect((await ask(`${groupPath}/spacetemplates`, post({ metadata: { name: 'shop' }, spec }))).code).toBe(201);
    const incomplete = await ask(spaces, post({ metadata: { name: 'shop' }, spec: { templateRef: { name: 'shop' } } }));
    expect(incomplete.code).toBe(422);
    const space = await created('shop', { templateRef: { name: 'shop' }, parameters: 'tier: gold' });
    const namespace = namespaceOf(space);
    const host = await ask(`${local}/api/v1/namespaces/${namespace}`);
    expect(textAt(host.json, 'metadata', 'labels', 'tier')).toBe('gold');
    const settings = await ask(`${local}/api/v1/namespaces/${namespace}/configmaps/settings`);
    expect(textAt(settings.json, 'data', 'tier')).toBe('gold');
    expect(await bindingsIn(namespace)).toEqual([['edit', ['platform:user:anna', 'platform:user:chief']]]);
  });

  it('have their own quota', async () => {
    const refused = await ask(spaces, post({ metadata: { name: 'fifth' } }), 'anna');
    expect(refused.code).toBe(403);
    expect(refused.text).toContain('spaceinstances=4');
    await expect
      .poll(async () =>
        valueAt((await ask(`${groupPath}/projects/red`)).json, 'status', 'quotas', 'user', 'used', 'anna'),
      )
      .toEqual({ spaceinstances: '4' });
  });

  it('sleep, wake, and are deleted after a time without use', async () => {
    const annotate = (name: string, annotations: JsonObject) =>
      ask(`${spaces}/${name}`, mergePatch({ metadata: { annotations } }), 'anna');
    await annotate('first', { [sleepForceAnnotation]: 'true' });
    const asleep = await waitFor('first', inPhase('Sleeping'));
    expect(textAt(asleep, 'status', 'message')).toContain('wake the space');
    await annotate('first', { [sleepForceAnnotation]: null });
    await waitFor('first', inPhase('Ready'));
    await annotate('first', { [deleteAfterAnnotation]: '1' });
    await waitFor('first', isGone);
  });

  it('are deleted with their namespace', async () => {
    const namespace = namespaceOf(await waitFor('led', inPhase('Ready')));
    expect((await ask(`${spaces}/led`, { method: 'DELETE' }, 'anna')).code).toBe(200);
    await waitFor('led', isGone);
    expect((await ask(`${local}/api/v1/namespaces/${namespace}`)).code).toBe(404);
  });

  it('can be imported from existing namespaces, which are kept when the space is deleted', async () => {
    const importing = (name: string, importName = '', who?: string) => {
      const sourceSpace = { name, cluster: 'local', ...(importName === '' ? {} : { importName }) };
      return ask(`${groupPath}/projects/red/importspace`, post({ sourceSpace }), who);
    };
    expect((await ask(`${local}/api/v1/namespaces`, post({ metadata: { name: 'old' } }))).code).toBe(201);
    expect((await importing('old', 'mine', 'chief')).code).toBe(403);
    const named = (verbs: string[], subresources?: string[]) =>
      mergePatch({ spec: { access: [{ verbs, users: ['chief'], ...(subresources && { subresources }) }] } });
    expect((await ask(`${groupPath}/clusters/local`, named(['use']))).code).toBe(200);
    const denied = await importing('old', 'mine', 'chief');
    expect([denied.code, textAt(denied.json, 'message')]).toEqual([403, expect.stringContaining('hostaccess')]);
    expect((await ask(`${groupPath}/projects/red`, named(['use'], ['hostaccess']))).code).toBe(200);
    expect((await importing('nowhere', 'mine', 'chief')).code).toBe(404);
    expect((await importing('nowhere')).code).toBe(404);
    expect((await importing('kube-system')).code).toBe(403);
    const taken = namespaceOf(await waitFor('shop', inPhase('Ready')));
    expect((await importing(taken, 'again')).code).toBe(409);
    const made = await importing('old', 'mine', 'chief');
    expect(made.code, made.text).toBe(201);
    expect(textAt(made.json, 'metadata', 'name')).toBe('mine');
    const space = await waitFor('mine', inPhase('Ready'));
    expect(namespaceOf(space)).toBe('old');
    expect(await bindingsIn('old')).toEqual([['admin', ['platform:user:chief']]]);
    expect((await importing('old', 'twice')).code).toBe(409);
    await ask(`${spaces}/mine`, { method: 'DELETE' });
    await waitFor('mine', isGone);
    const left = await ask(`${local}/api/v1/namespaces/old`);
    expect(valueAt(left.json, 'metadata', 'labels')).toEqual({ 'kubernetes.io/metadata.name': 'old' });
    expect(await bindingsIn('old')).toEqual([]);
  });

  it('never share a namespace with a virtual cluster that is imported', async () => {
    const virtualClusters = (namespace: string) =>
      `${local}/apis/storage.platform.sh/v1/namespaces/${namespace}/virtualclusters`;
    const importing = (what: string, source: JsonObject) =>
      ask(`${groupPath}/projects/red/${what}`, post(source as JsonValue));
    const virtualCluster = (namespace: string, name: string) => ({
      sourceVirtualCluster: { name, namespace, cluster: 'local' },
    });
    await ask(`${local}/api/v1/namespaces`, post({ metadata: { name: 'held' } }));
    for (const [namespace, name] of [
      ['held', 'by-hand'],
      [namespaceOf(await waitFor('shop', inPhase('Ready'))), 'planted'],
    ] as const) {
      const made = await ask(virtualClusters(namespace), post({ metadata: { name } }));
      expect(made.code, made.text).toBe(201);
      const imported = await importing('importvirtualcluster', virtualCluster(namespace, name));
      expect(imported.code, imported.text).toBe(name === 'planted' ? 409 : 201);
    }
    // The namespace contains the credentials of the virtual cluster. It has no owner label.
    const taken = await importing('importspace', {
      sourceSpace: { name: 'held', cluster: 'local', importName: 'spy' },
    });
    expect(taken.code, taken.text).toBe(409);
    expect(await bindingsIn('held')).toEqual([]);
  });

  it('are transferred when their owner leaves, and deleted with their project', async () => {
    const offboard = { spec: { transferTo: 'ben' } };
    const left = await ask(`${groupPath}/users/anna/offboard`, post(offboard));
    const items = listAt(left.json, 'status', 'items').filter((item) => textAt(item, 'kind') === 'SpaceInstance');
    expect(items.map((item) => textAt(item, 'name')).sort()).toEqual(['shared', 'shop']);
    const space = await waitFor('shop', (one) => textAt(one, 'spec', 'owner', 'user') === 'ben');
    await expect
      .poll(() => bindingsIn(namespaceOf(space)))
      .toEqual([['edit', ['platform:user:ben', 'platform:user:chief']]]);
    expect((await ask(`${groupPath}/projects/red`, { method: 'DELETE' })).code).toBe(200);
    await expect.poll(async () => (await ask(`${groupPath}/projects/red`)).code, { timeout: 10_000 }).toBe(404);
    expect((await ask(`${local}/api/v1/namespaces/${namespaceOf(space)}`)).code).toBe(404);
  });
});
