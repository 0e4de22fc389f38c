import { type JsonObject, listAt, textAt, textsAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentUser, auditorsGroup, projectRoles } from '../../src/api/naming.ts';
import { instancesOf } from '../../src/server/instances.fixture.ts';
import { groupPath, mergePatch, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

describe('a review of effective access (completions §8)', () => {
  let bench: ServerTestEnv;
  let server: RunningServer;
  const keys = new Map<string, string>();
  const path = `${groupPath}/effectiveaccessreviews`;
  const demo = { virtualClusterInstance: { project: 'red', name: 'demo' } };

  const review = async (who: string, spec: JsonObject) => {
    const token = keys.get(who);
    return await bench.send(server, path, {
      method: 'POST',
      body: { spec },
      ...(token === undefined ? {} : { token }),
    });
  };
  const entriesFor = async (who: string, spec: JsonObject) => {
    const { code, json, text } = await review(who, spec);
    expect(code, text).toBe(201);
    return listAt(json, 'status', 'entries');
  };
  const subjects = (entries: readonly unknown[]) =>
    [...new Set((entries as JsonObject[]).map((entry) => textAt(entry, 'subject', 'name')))].sort();

  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    server = await bench.start();
    for (const name of ['chief', 'anna', 'tess', 'stranger']) await bench.createObject(server, 'users', name);
    await bench.createObject(server, 'users', 'rita', { groups: [auditorsGroup] });
    await bench.createObject(server, 'users', 'gone', { disabled: true });
    for (const name of ['chief', 'anna', 'tess', 'stranger', 'rita']) {
      keys.set(name, await bench.createKey(server, `of-${name}`, { user: name }));
    }
    const scope = { projects: [{ project: 'red' }] };
    keys.set('scoped', await bench.createKey(server, 'scoped', { user: 'anna', scope }));
    await bench.createObject(server, 'teams', 'crew', { users: ['tess'] });
    await bench.createObject(server, 'projects', 'red', {
      members: [
        { kind: 'User', name: 'chief', clusterRole: projectRoles.admin },
        { kind: 'User', name: 'anna', clusterRole: projectRoles.user },
        { kind: 'User', name: 'gone', clusterRole: projectRoles.admin },
      ],
      allowedClusters: [{ name: '*' }],
      allowedTemplates: [{ name: '*' }],
    });
    const made = await bench.send(server, instancesOf('red'), {
      method: 'POST',
      token: keys.get('anna') ?? '',
      body: {
        metadata: { name: 'demo' },
        spec: {
          access: [{ name: 'testers', verbs: ['get', 'use'], teams: ['crew'] }],
          extraAccessRules: [{ teams: ['crew'], clusterRole: 'view' }],
        },
      },
    });
    expect(made.code, made.text).toBe(201);
  });
  afterAll(() => bench.close());

  it('lists everyone with access to an instance, with the grants and the roles inside', async () => {
    const entries = await entriesFor('admin', demo);
    expect(subjects(entries)).toEqual(['admin', 'anna', 'chief', 'crew', 'rita', 'tess']);
    const tess = entries.filter((entry) => textAt(entry, 'subject', 'name') === 'tess');
    expect(tess).toEqual([
      expect.objectContaining({
        verbs: ['get', 'use'],
        clusterRoles: ['view'],
        via: ['team crew', 'access entry "testers" of the object'],
      }),
    ]);
    const rita = entries.find((entry) => textAt(entry, 'subject', 'name') === 'rita');
    expect(textsAt(rita, 'verbs')).toEqual(['get']);
  });

  it('lists everyone with access to a project, a cluster or a template', async () => {
    const ofProject = await entriesFor('admin', { object: { resource: 'projects', name: 'red' } });
    expect(subjects(ofProject)).toEqual(['admin', 'anna', 'chief', 'rita']);
    const anna = ofProject.find((entry) => textAt(entry, 'subject', 'name') === 'anna');
    expect(textsAt(anna, 'via')).toEqual(['user of the project']);
    const ofCluster = await entriesFor('rita', { object: { resource: 'clusters', name: 'local' } });
    const chief = ofCluster.filter((entry) => textAt(entry, 'subject', 'name') === 'chief');
    expect(chief).toEqual([
      expect.objectContaining({
        verbs: ['get'],
        via: [expect.stringContaining('allowed in a project')],
      }),
    ]);
    expect(subjects(ofCluster)).not.toContain('stranger');
  });

  it('lists the access of a user, of a key within its scope, and none of a disabled user', async () => {
    const own = await entriesFor('anna', { user: 'anna' });
    const kindsOf = (entries: readonly unknown[]) =>
      [...new Set((entries as JsonObject[]).map((entry) => textAt(entry, 'resource')))].sort();
    expect(kindsOf(own)).toContain('clusters');
    const ofKey = await entriesFor('anna', { accessKey: 'scoped' });
    expect(kindsOf(ofKey)).not.toContain('virtualclustertemplates');
    expect(textsAt(ofKey[0], 'via')).toEqual([
      'user anna',
      'user of the project',
      'within the scope of the access key',
    ]);
    const { json } = await review('admin', { user: 'gone' });
    expect(json).toMatchObject({ status: { entries: [], inactive: 'the user is disabled' } });
    expect(await entriesFor('admin', { user: 'admin' })).toMatchObject([{ resource: '*', verbs: ['*'] }]);
  });

  it('lists only the API for agents for the key of an agent, and lists the agent for instances of its cluster', async () => {
    await bench.createObject(server, 'clusters', 'europe', { networkPeer: true });
    await bench.createObject(server, 'projects', 'seas', {
      allowedClusters: [{ name: '*' }],
      allowedTemplates: [{ name: '*' }],
    });
    const path = `${groupPath}/clusters/europe/accesskey`;
    const made = await bench.send(server, path, { method: 'POST', body: {} });
    expect(made.code, made.text).toBe(201);
    const keysOfAgent = listAt((await bench.send(server, `${groupPath}/accesskeys`)).json, 'items').filter(
      (key) => textAt(key, 'spec', 'subject') === agentUser('europe'),
    );
    const accessKey = textAt(keysOfAgent[0], 'metadata', 'name');
    const expected = {
      subject: { kind: 'AccessKey', name: accessKey },
      resource: 'clusters',
      name: 'europe',
      verbs: [],
      subresources: expect.arrayContaining(['agent/policy', 'agent/key-check', 'agent/audit']),
      via: [`subject ${agentUser('europe')}`, expect.stringContaining('agent of the cluster')],
    };
    expect(await entriesFor('admin', { accessKey })).toEqual([expected]);
    expect(await entriesFor('admin', { accessKey, project: 'red' })).toEqual([]);
    // Everyone may get the instance; the rule for all users does not apply to agents.
    const access = [{ verbs: ['get'], users: ['*'] }];
    for (const [name, cluster] of [
      ['there', 'europe'],
      ['here', 'local'],
    ] as const) {
      const body = { metadata: { name }, spec: { access, clusterRef: { cluster } } };
      const answer = await bench.send(server, instancesOf('seas'), { method: 'POST', body });
      expect(answer.code, answer.text).toBe(201);
    }
    const ofCluster = await entriesFor('admin', { object: { resource: 'clusters', name: 'europe' } });
    expect(ofCluster).toContainEqual(expected);
    const agentAt = async (name: string) =>
      (await entriesFor('admin', { virtualClusterInstance: { project: 'seas', name } })).filter(
        (entry) => textAt(entry, 'subject', 'name') === accessKey,
      );
    expect(await agentAt('there')).toEqual([expected]);
    expect(await agentAt('here')).toEqual([]);
    await bench.send(server, `${groupPath}/accesskeys/${accessKey}`, mergePatch({ spec: { disabled: true } }));
    const { json } = await review('admin', { accessKey });
    expect(json).toMatchObject({ status: { entries: [], inactive: expect.stringContaining('disabled') } });
    expect(await agentAt('there')).toEqual([]);
  });

  it('returns the same entries in small pages', async () => {
    const all = await entriesFor('rita', { user: 'rita' });
    const pages: unknown[] = [];
    for (let position = ''; ; ) {
      const { json } = await review('rita', {
        user: 'rita',
        limit: 1,
        ...(position === '' ? {} : { continue: position }),
      });
      pages.push(...listAt(json, 'status', 'entries'));
      position = textAt(json, 'status', 'continue');
      if (position === '') break;
    }
    expect(pages).toEqual(all);
    expect(all.length).toBeGreaterThan(5);
  });

  it.each([
    ['admin', { user: 'anna' }, 201],
    ['rita', { user: 'anna' }, 201],
    ['rita', demo, 201],
    ['chief', demo, 201],
    ['chief', { user: 'anna', project: 'red' }, 201],
    ['chief', { user: 'anna' }, 403],
    ['chief', { virtualClusterInstance: { project: 'default', name: 'demo' } }, 403],
    ['chief', { accessKey: 'of-anna', project: 'red' }, 403],
    ['chief', { accessKey: 'nothing', project: 'red' }, 403],
    ['chief', { accessKey: 'of-chief', project: 'red' }, 201],
    ['chief', { virtualClusterInstance: { project: 'red', name: 'none' } }, 422],
    ['rita', { object: { resource: 'teams', name: 'crew' } }, 201],
    ['chief', { object: { resource: 'projects', name: 'red' } }, 201],
    ['chief', { object: { resource: 'projects', name: 'default' } }, 403],
    ['chief', { object: { resource: 'clusters', name: 'local' }, project: 'red' }, 422],
    ['chief', { object: { resource: 'clusters', name: 'local' } }, 403],
    ['anna', { object: { resource: 'users', name: 'anna' } }, 403],
    ['tess', { user: 'tess' }, 201],
    ['tess', { team: 'crew' }, 201],
    ['tess', { accessKey: 'of-tess' }, 201],
    ['tess', { accessKey: 'of-anna' }, 403],
    ['tess', { accessKey: 'nothing' }, 403],
    ['tess', demo, 403],
    ['anna', { team: 'crew' }, 403],
    ['stranger', { user: 'nobody' }, 403],
    ['scoped', { user: 'anna' }, 403],
    ['admin', { user: 'nobody' }, 422],
    ['admin', { object: { resource: 'clusters', name: 'none' } }, 422],
    ['admin', { object: { resource: 'secrets', name: 'x' } }, 422],
    ['admin', { object: { resource: 'clusters', name: 'local' }, user: 'anna' }, 422],
    ['admin', {}, 422],
    ['admin', { user: 'anna', team: 'crew' }, 422],
    ['admin', { user: 'anna', limit: 501 }, 422],
    ['admin', { user: 'anna', continue: 'x' }, 422],
  ])('of %s about %j is answered with %d', async (who, spec, code) => {
    const answer = await review(who, spec);
    expect(answer.code, answer.text).toBe(code);
  });

  it('shows an admin of a project only what is in the project', async () => {
    const entries = await entriesFor('chief', { user: 'anna', project: 'red' });
    const outside = entries.filter((entry) => textAt(entry, 'project') !== 'red' && textAt(entry, 'name') !== 'red');
    expect(outside).toEqual([]);
    expect(entries.length).toBeGreaterThan(1);
  });

  it('does not show an admin of a project whether users and teams exist or are disabled', async () => {
    for (const spec of [{ user: 'stranger' }, { user: 'gone' }, { user: 'nobody' }, { team: 'none' }]) {
      const { code, json, text } = await review('chief', { ...spec, project: 'red' });
      expect([code, json.status], text).toEqual([201, { entries: [] }]);
    }
  });
});
