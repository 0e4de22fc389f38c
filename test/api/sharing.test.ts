import { type JsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoles } from '../../src/api/naming.ts';
import { virtualClustersPath } from '../../src/server/built-in-cluster.fixture.ts';
import { instancesOf, isReconciled, waitForInstance } from '../../src/server/instances.fixture.ts';
import { groupPath, mergePatch, type RequestOptions, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

const instances = instancesOf('red');
const people = ['chief', 'anna', 'bob', 'guest', 'tess', 'looker', 'stranger'] as const;
type Person = (typeof people)[number];

/**
 * The effective access of a user, outside and inside of the virtual cluster: status codes, and whether a list shows the
 * instance.
 */
interface EffectiveAccess {
  readonly listed: boolean;
  readonly read: number;
  readonly kubeconfig: number;
  readonly look: number;
  readonly write: number;
  readonly rule: number;
}

const everything: EffectiveAccess = { listed: true, read: 200, kubeconfig: 201, look: 200, write: 201, rule: 201 };
const nothing: EffectiveAccess = { listed: false, read: 403, kubeconfig: 403, look: 403, write: 403, rule: 403 };

describe('a shared virtual cluster (completions §8)', () => {
  let bench: ServerTestEnv;
  let server: RunningServer;
  const keys = new Map<string, string>();
  let tries = 0;

  const post = (body: JsonValue): RequestOptions => ({ method: 'POST', body });
  const ask = (who: Person | 'admin', path: string, call: RequestOptions = {}) => {
    const token = keys.get(who);
    return bench.send(server, path, token === undefined ? call : { ...call, token });
  };
  const inside = (name: string, path: string) => `/kubernetes/project/red/virtualcluster/${name}${path}`;
  const configMaps = (name: string) => inside(name, '/api/v1/namespaces/default/configmaps');
  const share = async (name: string, spec: JsonObject) => {
    const answer = await ask('admin', `${instances}/${name}`, mergePatch({ spec }));
    expect(answer.code, answer.text).toBe(200);
    await waitForInstance(bench, server, { project: 'red', name }, isReconciled);
  };

  /**
   * Sends every request once with this credential. Lists and reads outside of the virtual cluster always use the key.
   */
  async function effectiveAccessOf(
    who: Person,
    name: string,
    credential = keys.get(who) ?? '',
  ): Promise<EffectiveAccess> {
    const list = await ask(who, `${groupPath}/virtualclusterinstances`);
    const within = (path: string, call: RequestOptions = {}) =>
      bench.send(server, path, { ...call, token: credential });
    const mark = { metadata: { name: `mark-${tries++}` } };
    return {
      listed: listAt(list.json, 'items').some((item) => textAt(item, 'metadata', 'name') === name),
      read: (await ask(who, `${instances}/${name}`)).code,
      kubeconfig: (await ask(who, `${instances}/${name}/kubeconfig`, post({}))).code,
      look: (await within(configMaps(name))).code,
      write: (await within(configMaps(name), post(mark))).code,
      rule: (await within(inside(name, '/apis/rbac.authorization.k8s.io/v1/clusterroles'), post(mark))).code,
    };
  }

  async function tokenOf(who: Person, name: string): Promise<string> {
    const { json } = await ask(who, `${instances}/${name}/kubeconfig`, post({}));
    const [token = ''] = listAt(load(textAt(json, 'status', 'kubeConfig')) as JsonObject, 'users').map((entry) =>
      textAt(entry, 'user', 'token'),
    );
    return token;
  }

  const sharing = {
    access: [
      { name: 'users', verbs: ['get', 'use'], users: ['guest'], teams: ['crew'] },
      { name: 'lookers', verbs: ['get'], users: ['looker'] },
    ],
    extraAccessRules: [
      { users: ['guest'], clusterRole: 'view' },
      { teams: ['crew'], clusterRole: 'edit' },
    ],
  };
  const expected: Readonly<Record<Person, EffectiveAccess>> = {
    chief: everything,
    anna: everything,
    bob: nothing,
    guest: { ...everything, write: 403, rule: 403 },
    tess: { ...everything, rule: 403 },
    looker: { ...nothing, listed: true, read: 200 },
    stranger: nothing,
  };

  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    server = await bench.start();
    for (const name of people) {
      await bench.createObject(server, 'users', name);
      keys.set(name, await bench.createKey(server, `of-${name}`, { user: name }));
    }
    await bench.createObject(server, 'teams', 'crew', { users: ['tess'] });
    const member = (name: Person, role: keyof typeof projectRoles) => ({
      kind: 'User',
      name,
      clusterRole: projectRoles[role],
    });
    await bench.createObject(server, 'projects', 'red', {
      members: [member('chief', 'admin'), member('anna', 'user'), member('bob', 'user'), member('guest', 'viewer')],
      allowedClusters: [{ name: '*' }],
      allowedTemplates: [{ name: '*' }],
    });
    const made = await ask('anna', instances, post({ metadata: { name: 'shared' }, spec: sharing }));
    expect(made.code, made.text).toBe(201);
    await waitForInstance(bench, server, { project: 'red', name: 'shared' }, isReconciled);
  });
  afterAll(() => bench.close());

  it.each(people)('gives %s exactly the permissions of the sharing entries', async (who) => {
    expect(await effectiveAccessOf(who, 'shared')).toEqual(expected[who]);
  });

  it.each(['anna', 'guest', 'tess'] as const)('gives the kubeconfig of %s the same permissions inside', async (who) => {
    expect(await effectiveAccessOf(who, 'shared', await tokenOf(who, 'shared'))).toEqual(expected[who]);
  });

  it('gives an imported one to the same users in the same way', async () => {
    expect((await ask('admin', virtualClustersPath, post({ metadata: { name: 'brought' } }))).code).toBe(201);
    const owner = { user: 'anna' };
    const sourceVirtualCluster = { name: 'brought', namespace: 'default', cluster: 'local', owner };
    const imported = await ask(
      'admin',
      `${groupPath}/projects/red/importvirtualcluster`,
      post({ sourceVirtualCluster }),
    );
    expect(imported.code, imported.text).toBe(201);
    await share('brought', sharing);
    for (const who of people) expect([who, await effectiveAccessOf(who, 'brought')]).toEqual([who, expected[who]]);
  });

  it('is unshared at once: for keys, for issued kubeconfigs, and for users who leave the team', async () => {
    const [held, teams] = [await tokenOf('guest', 'shared'), await tokenOf('tess', 'shared')];
    await share('shared', { access: [{ name: 'users', verbs: ['get', 'use'], teams: ['crew'] }] });
    expect(await effectiveAccessOf('guest', 'shared')).toEqual(nothing);
    expect(await effectiveAccessOf('guest', 'shared', held)).toEqual(nothing);
    await ask('admin', `${groupPath}/teams/crew`, mergePatch({ spec: { users: [] } }));
    expect(await effectiveAccessOf('tess', 'shared', teams)).toEqual(nothing);
    await ask('admin', `${groupPath}/teams/crew`, mergePatch({ spec: { users: ['tess'] } }));
    expect(await effectiveAccessOf('tess', 'shared', teams)).toEqual(expected.tess);
    await share('shared', sharing);
    expect(await effectiveAccessOf('guest', 'shared', held)).toEqual(expected.guest);
  });

  it('grants a role of the virtual cluster, and the union of all entries that name the user', async () => {
    const role = {
      metadata: { name: 'rule-maker' },
      rules: [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['create'] }],
    };
    const made = await ask('anna', inside('shared', '/apis/rbac.authorization.k8s.io/v1/clusterroles'), post(role));
    expect(made.code, made.text).toBe(201);
    const extraAccessRules = [...sharing.extraAccessRules, { users: ['guest'], clusterRole: 'rule-maker' }];
    await share('shared', { extraAccessRules });
    expect(await effectiveAccessOf('guest', 'shared')).toEqual({ ...expected.guest, rule: 201 });
    await share('shared', sharing);
    expect(await effectiveAccessOf('guest', 'shared')).toEqual(expected.guest);
  });
});
