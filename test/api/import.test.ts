import { type JsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importedAnnotation, projectRoles } from '../../src/api/naming.ts';
import { builtInClusterPath, virtualClustersPath } from '../../src/server/built-in-cluster.fixture.ts';
import { inPhase, instancesOf, isGone, isReconciled, waitForInstance } from '../../src/server/instances.fixture.ts';
import {
  groupPath,
  mergePatch,
  type ParsedResponse,
  type RequestOptions,
  ServerTestEnv,
} from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

describe('an import (completions §4)', () => {
  let bench: ServerTestEnv;
  let server: RunningServer;
  const tokens = new Map<string, string>();

  const ask = (path: string, call: RequestOptions = {}, who = ''): Promise<ParsedResponse> => {
    const token = tokens.get(who);
    return bench.send(server, path, token === undefined ? call : { ...call, token });
  };
  const post = (body: JsonValue): RequestOptions => ({ method: 'POST', body });
  const importPath = (project: string, query = '') => `${groupPath}/projects/${project}/importvirtualcluster${query}`;
  const sourceOf = (name: string, members: JsonObject = {}): JsonObject => ({
    sourceVirtualCluster: { name, namespace: 'default', cluster: 'local', ...members },
  });
  const importOf = (project: string, body: JsonObject, who = '', query = '') =>
    ask(importPath(project, query), post(body), who);

  /** Creates a virtual cluster by hand and returns its uid. */
  async function byHand(name: string): Promise<string> {
    const made = await ask(virtualClustersPath, post({ metadata: { name } }));
    expect(made.code, made.text).toBe(201);
    return textAt(made.json, 'metadata', 'uid');
  }

  const instance = async (project: string, name: string) => (await ask(`${instancesOf(project)}/${name}`)).json;
  const until = (project: string, name: string, has: (object: JsonObject | undefined) => boolean) =>
    waitForInstance(bench, server, { project, name }, has);
  const listed = async (name: string, who = '') =>
    listAt((await ask(`${groupPath}/clusters/local/virtualclusters`, {}, who)).json, 'virtualClusters').find(
      (one) => textAt(one, 'name') === name,
    );

  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    server = await bench.start();
    for (const name of ['chief', 'guide', 'anna']) {
      await bench.createObject(server, 'users', name);
      tokens.set(name, await bench.createKey(server, `of-${name}`, { user: name }));
    }
    await bench.createObject(server, 'teams', 'crew', { users: ['anna'] });
    const member = (name: string, role: keyof typeof projectRoles) => ({
      kind: 'User',
      name,
      clusterRole: projectRoles[role],
    });
    const members = [member('chief', 'admin'), member('guide', 'admin'), member('anna', 'user')];
    await bench.createObject(server, 'projects', 'red', { members, allowedClusters: [{ name: '*' }] });
    await bench.createObject(server, 'projects', 'blue', { allowedClusters: [{ name: 'local' }] });
    await bench.createObject(server, 'projects', 'closed', { members });
    await bench.createObject(server, 'clusters', 'far', { networkPeer: true });
    const access = [{ name: 'importers', verbs: ['use'], users: ['chief'] }];
    expect((await ask(`${groupPath}/clusters/local`, mergePatch({ spec: { access } }))).code).toBe(200);
  });
  afterAll(() => bench.close());

  it('creates an instance for a virtual cluster that was created by hand, and leaves the virtual cluster unchanged', async () => {
    const uid = await byHand('found');
    await ask(`${virtualClustersPath}/found/proxy/api/v1/namespaces`, post({ metadata: { name: 'kept' } }));
    const before = (await ask(`${virtualClustersPath}/found`)).json;
    expect(await listed('found')).toMatchObject({ namespace: 'default' });

    const answer = await importOf('red', { ...sourceOf('found', { importName: 'mine' }) }, 'chief');
    expect(answer.code, answer.text).toBe(201);
    expect(answer.json).toMatchObject({
      apiVersion: 'management.platform.sh/v1',
      kind: 'ProjectImportVirtualCluster',
      metadata: { name: 'mine' },
      sourceVirtualCluster: { name: 'found', namespace: 'default', cluster: 'local', importName: 'mine' },
    });
    const made = await instance('red', 'mine');
    expect(made).toMatchObject({
      metadata: { annotations: { [importedAnnotation]: uid } },
      spec: {
        owner: { user: 'chief' },
        clusterRef: { cluster: 'local', namespace: 'default', virtualCluster: 'found' },
      },
    });
    expect(made.spec).not.toHaveProperty('templateRef');
    expect(made.spec).not.toHaveProperty('external');

    const ready = await until('red', 'mine', inPhase('Ready'));
    expect(textAt(ready, 'status', 'serviceUID')).toBe(uid);
    expect((await ask(`${virtualClustersPath}/found`)).json).toEqual(before);
    expect((await ask(`${virtualClustersPath}/found/proxy/api/v1/namespaces/kept`)).code).toBe(200);
    expect(await listed('found', 'chief')).toMatchObject({ project: 'red', instance: 'mine' });
  });

  it('has no template until a user sets one, and is not reinstalled then', async () => {
    const uid = await byHand('later');
    expect((await importOf('default', sourceOf('later'))).code).toBe(201);
    await until('default', 'later', inPhase('Ready'));
    const objects = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: from-template, namespace: default}\n';
    await bench.createObject(server, 'virtualclustertemplates', 'with-objects', { template: { objects } });
    const path = `${instancesOf('default')}/later`;
    const set = await ask(path, mergePatch({ spec: { templateRef: { name: 'with-objects' } } }));
    expect(set.code, set.text).toBe(200);
    await until('default', 'later', (one) => inPhase('Ready')(one) && isReconciled(one));
    const inside = await ask(`${virtualClustersPath}/later/proxy/api/v1/namespaces/default/configmaps/from-template`);
    expect(inside.code).toBe(200);
    expect((await ask(`${virtualClustersPath}/later`)).json).toMatchObject({ metadata: { uid } });
  });

  it('accepts the YAML that the console shows, and takes the name of its source', async () => {
    await byHand('plain');
    const raw = 'sourceVirtualCluster:\n  name: plain\n  namespace: default\n  cluster: local\n';
    const answer = await ask(importPath('red'), { method: 'POST', type: 'application/yaml', raw });
    expect(answer.code, answer.text).toBe(201);
    expect(answer.json).toMatchObject({ metadata: { name: 'plain' } });
    expect(await instance('red', 'plain')).toMatchObject({ spec: { owner: { user: 'admin' } } });
  });

  it('assigns the named owner, who must exist and must be the only one', async () => {
    await byHand('given');
    const wrong = await importOf('red', sourceOf('given', { owner: { user: 'nobody' } }));
    expect(wrong.json).toMatchObject({
      code: 422,
      details: { causes: [{ field: 'sourceVirtualCluster.owner.user', reason: 'FieldValueNotFound' }] },
    });
    const both = await importOf('red', sourceOf('given', { owner: { user: 'anna', team: 'crew' } }));
    expect(both.json).toMatchObject({ code: 422, details: { causes: [{ field: 'sourceVirtualCluster.owner.team' }] } });
    expect((await importOf('red', sourceOf('given', { owner: { team: 'crew' } }))).code).toBe(201);
    expect((await instance('red', 'given')).spec).toMatchObject({ owner: { team: 'crew' } });
  });

  describe('is refused', () => {
    beforeAll(async () => {
      await byHand('taken');
      expect((await importOf('blue', sourceOf('taken'))).code).toBe(201);
    });

    it('for all missing or empty fields at once, before any lookup: 422', async () => {
      const fields = async (body: JsonObject) => {
        const { code, json } = await importOf('nowhere', body);
        expect(code).toBe(422);
        return listAt(json, 'details', 'causes')
          .map((cause) => textAt(cause, 'field'))
          .sort();
      };
      const members = ['cluster', 'name', 'namespace'].map((member) => `sourceVirtualCluster.${member}`);
      expect(await fields({})).toEqual(['sourceVirtualCluster', ...members]);
      expect(await fields({ sourceVirtualCluster: { name: '', cluster: 'none' } })).toEqual(members.slice(1));
      expect(await fields(sourceOf('found', { importName: 'Not A Name' }))).toEqual([
        'sourceVirtualCluster.importName',
      ]);
    });

    it('if the project, the cluster or the source does not exist: 404 that names which', async () => {
      const kinds = async (project: string, body: JsonObject) => {
        const { json } = await importOf(project, body);
        return [json.code, textAt(json, 'details', 'kind'), textAt(json, 'details', 'name')];
      };
      expect(await kinds('nowhere', sourceOf('none', { cluster: 'none' }))).toEqual([404, 'projects', 'nowhere']);
      expect(await kinds('red', sourceOf('none', { cluster: 'none' }))).toEqual([404, 'clusters', 'none']);
      expect(await kinds('closed', sourceOf('none'))).toEqual([404, 'virtualclusters', 'none']);
      expect(await kinds('red', sourceOf('../taken'))).toEqual([404, 'virtualclusters', '../taken']);
      expect(await kinds('red', sourceOf('taken', { namespace: 'kube-system' }))).toEqual([
        404,
        'virtualclusters',
        'taken',
      ]);
    });

    it('if the project does not allow the cluster, or the caller may not import from it: 403', async () => {
      const message = async (project: string, who: string) => {
        const { code, json } = await importOf(project, sourceOf('taken'), who);
        expect(code).toBe(403);
        return textAt(json, 'message');
      };
      expect(await message('closed', 'chief')).toContain('the project closed does not allow the cluster local');
      expect(await message('red', 'guide')).toContain('you may not use the cluster local');
      expect(await message('red', 'anna')).toContain('cannot create resource "projects/importvirtualcluster"');
      expect(await message('blue', 'chief')).toContain('cannot create resource "projects/importvirtualcluster"');
    });

    it('if an instance already owns the virtual cluster: 409 Conflict, which names that instance to callers who may read it', async () => {
      const known = await importOf('red', sourceOf('taken'));
      expect(known.json).toMatchObject({
        code: 409,
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on virtualclusters.storage.platform.sh "taken": the instance taken of the project blue already has this virtual cluster',
      });
      const unknown = await importOf('red', sourceOf('taken'), 'chief');
      expect(unknown.json).toMatchObject({ code: 409, reason: 'Conflict' });
      expect(textAt(unknown.json, 'message')).toContain('another instance already has this virtual cluster');
      expect(unknown.text).not.toContain('blue');
      expect(await listed('taken')).toMatchObject({ project: 'blue', instance: 'taken' });
      expect(await listed('taken', 'chief')).not.toHaveProperty('instance');
      expect((await ask(`${groupPath}/clusters/local/virtualclusters`, {}, 'guide')).code).toBe(403);
    });

    it('if the project has an instance of that name: 409 AlreadyExists, after the source was checked', async () => {
      await byHand('second');
      const { json } = await importOf('blue', sourceOf('second', { importName: 'taken' }));
      expect(json).toMatchObject({ code: 409, reason: 'AlreadyExists', details: { name: 'taken' } });
      const again = await importOf('blue', sourceOf('taken', { importName: 'taken' }));
      expect(again.json).toMatchObject({ code: 409, reason: 'Conflict' });
    });

    it('if the project quota is used up, as for any other instance: 403', async () => {
      await byHand('beyond');
      await bench.createObject(server, 'projects', 'full', {
        allowedClusters: [{ name: '*' }],
        quotas: { project: { virtualclusterinstances: 0 } },
      });
      const { json } = await importOf('full', sourceOf('beyond'));
      expect(json).toMatchObject({ code: 403, message: expect.stringContaining('exceeded quota') });
    });

    it('if this server cannot list the cluster: 501, and only for callers who may import from it', async () => {
      expect((await importOf('red', sourceOf('any', { cluster: 'far' }))).code).toBe(501);
      expect((await importOf('red', sourceOf('any', { cluster: 'far' }), 'chief')).code).toBe(403);
    });
  });

  it('reports all of that in a dry run, and creates nothing', async () => {
    await byHand('dry');
    const dry = await importOf('red', sourceOf('dry'), '', '?dryRun=All');
    expect(dry.code, dry.text).toBe(201);
    expect(dry.json).toMatchObject({ metadata: { name: 'dry' } });
    expect((await ask(`${instancesOf('red')}/dry`)).code).toBe(404);
    expect((await importOf('red', sourceOf('dry'))).code).toBe(201);
    expect((await importOf('blue', sourceOf('dry'), '', '?dryRun=All')).json).toMatchObject({ reason: 'Conflict' });
  });

  it('succeeds for one of many concurrent requests, and the others learn the winner', async () => {
    await byHand('wanted');
    const tries = Array.from({ length: 12 }, (_, at) =>
      importOf(at % 2 === 0 ? 'red' : 'blue', sourceOf('wanted', { importName: `wanted-${at % 6}` })),
    );
    const answers = await Promise.all(tries);
    const [won, ...more] = answers.filter(({ code }) => code === 201);
    expect(more).toEqual([]);
    const name = textAt(won?.json, 'metadata', 'name');
    for (const { code, json } of answers.filter((answer) => answer !== won)) {
      expect([code, json.reason]).toEqual([409, 'Conflict']);
      expect(textAt(json, 'message')).toContain(`the instance ${name} of the project`);
    }
    const all = listAt((await ask(`${groupPath}/virtualclusterinstances`)).json, 'items');
    expect(all.filter((one) => textAt(one, 'spec', 'clusterRef', 'virtualCluster') === 'wanted')).toHaveLength(1);
  });

  it('records the created instance in the audit log', async () => {
    await byHand('audited');
    expect((await importOf('red', sourceOf('audited'))).code).toBe(201);
    const lines = (await bench.read('audit.log')).split('\n').filter((line) => line.includes('importvirtualcluster'));
    expect(lines.some((line) => line.includes('"management.platform.sh/instance":"platform-p-red/audited"'))).toBe(
      true,
    );
  });

  describe('deleted again', () => {
    it('deletes the virtual cluster too, and keeps the namespace', async () => {
      const namespace = 'by-hand';
      await ask(`${builtInClusterPath}/api/v1/namespaces`, post({ metadata: { name: namespace } }));
      const there = virtualClustersPath.replace('/default/', `/${namespace}/`);
      for (const name of ['goes', 'stays']) expect((await ask(there, post({ metadata: { name } }))).code).toBe(201);
      expect((await importOf('red', sourceOf('goes', { namespace }))).code).toBe(201);
      await until('red', 'goes', inPhase('Ready'));
      expect((await ask(`${instancesOf('red')}/goes`, { method: 'DELETE' })).code).toBe(200);
      await until('red', 'goes', isGone);
      expect((await ask(`${there}/goes`)).code).toBe(404);
      expect((await ask(`${there}/stays`)).code).toBe(200);
      expect((await ask(`${builtInClusterPath}/api/v1/namespaces/${namespace}`)).json).toMatchObject({
        status: { phase: 'Active' },
      });
    });

    it('keeps the virtual cluster if skipHelmDeploy marks it as managed elsewhere', async () => {
      const uid = await byHand('foreign');
      const answer = await importOf('red', { ...sourceOf('foreign'), skipHelmDeploy: true });
      expect(answer.json).toMatchObject({ skipHelmDeploy: true });
      expect((await instance('red', 'foreign')).spec).toMatchObject({ external: true });
      await until('red', 'foreign', inPhase('Ready'));
      await ask(`${instancesOf('red')}/foreign`, { method: 'DELETE' });
      await until('red', 'foreign', isGone);
      const left = (await ask(`${virtualClustersPath}/foreign`)).json;
      expect(left).toMatchObject({ metadata: { uid }, status: { phase: 'Ready' } });
      expect(left.metadata).not.toHaveProperty('deletionTimestamp');
      expect((await importOf('blue', sourceOf('foreign'))).code).toBe(201);
    });

    it('is deleted with its project in the same way', async () => {
      const uid = await byHand('outlives');
      await byHand('ends');
      await bench.createObject(server, 'projects', 'short', { allowedClusters: [{ name: '*' }] });
      expect((await importOf('short', { ...sourceOf('outlives'), skipHelmDeploy: true })).code).toBe(201);
      expect((await importOf('short', sourceOf('ends'))).code).toBe(201);
      await until('short', 'ends', inPhase('Ready'));
      expect((await ask(`${groupPath}/projects/short`, { method: 'DELETE' })).code).toBe(200);
      for (const name of ['outlives', 'ends']) await until('short', name, isGone);
      expect((await ask(`${virtualClustersPath}/ends`)).code).toBe(404);
      expect((await ask(`${virtualClustersPath}/outlives`)).json).toMatchObject({ metadata: { uid } });
    });

    it('does not touch another virtual cluster at the same location', async () => {
      await byHand('moved');
      expect((await importOf('red', sourceOf('moved'))).code).toBe(201);
      await until('red', 'moved', inPhase('Ready'));
      await ask(`${virtualClustersPath}/moved`, { method: 'DELETE' });
      await until('red', 'moved', inPhase('Failed'));
      const other = await byHand('moved');
      const failed = await until('red', 'moved', (one) => textAt(one, 'status', 'reason') === 'Replaced');
      expect(textAt(failed, 'status', 'message')).toContain('Delete the instance');
      await ask(`${instancesOf('red')}/moved`, { method: 'DELETE' });
      await until('red', 'moved', isGone);
      expect((await ask(`${virtualClustersPath}/moved`)).json).toMatchObject({ metadata: { uid: other } });
    });
  });

  it('is recorded by the server alone: no client can remove it from an instance or forge it', async () => {
    const uid = await byHand('minded');
    expect((await importOf('red', sourceOf('minded'))).code).toBe(201);
    const path = `${instancesOf('red')}/minded`;
    const { metadata, spec } = (await until('red', 'minded', isReconciled)) as {
      metadata: JsonObject;
      spec: JsonObject;
    };
    const bare = { metadata: { name: 'minded', resourceVersion: metadata.resourceVersion ?? '' }, spec };
    const put = await ask(path, { method: 'PUT', body: bare });
    expect(put.json).toMatchObject({ metadata: { annotations: { [importedAnnotation]: uid } } });
    expect(put.json.spec).toEqual(spec);
    const patched = await ask(
      path,
      mergePatch({ metadata: { annotations: { [importedAnnotation]: 'other', own: 'x' } } }),
    );
    expect(patched.json).toMatchObject({ metadata: { annotations: { [importedAnnotation]: uid, own: 'x' } } });
    const made = await ask(
      instancesOf('default'),
      post({ metadata: { name: 'made-up', annotations: { [importedAnnotation]: uid } } }),
    );
    expect(made.code, made.text).toBe(201);
    expect(made.text).not.toContain(importedAnnotation);
  });
});
