import { flagAt, type JsonObject, listAt, textAt } from '@flotilla/json';
import { dump, load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { groupPath, mergePatch, ServerTestEnv } from './server.fixture.ts';
import type { RunningServer } from './start-server.ts';

const remote = '/kubernetes/cluster/remote';

/** Two servers: the built-in cluster of one server is a connected cluster of the other server. */
class ConnectedBench {
  readonly here: ServerTestEnv;
  readonly there: ServerTestEnv;
  server: RunningServer;
  target: RunningServer;

  constructor(here: ServerTestEnv, there: ServerTestEnv, server: RunningServer, target: RunningServer) {
    this.here = here;
    this.there = there;
    this.server = server;
    this.target = target;
  }

  static async open(): Promise<ConnectedBench> {
    const [here, there] = [await ServerTestEnv.open(), await ServerTestEnv.open()];
    return new ConnectedBench(here, there, await here.start(), await there.start());
  }

  async close(): Promise<void> {
    await this.here.close();
    await this.there.close();
  }

  /** Returns a kubeconfig for the other server's built-in cluster, with the administrator's token by default. */
  async kubeconfig(token?: string): Promise<string> {
    const file = load(await this.there.read('admin.kubeconfig')) as JsonObject;
    const user = token === undefined ? {} : { users: [{ name: 'admin', user: { token } }] };
    return dump({ ...file, ...user, 'current-context': 'local' });
  }

  async connect(name = 'remote', spec: JsonObject = {}): Promise<JsonObject> {
    return await this.here.createObject(this.server, 'clusters', name, {
      kubeconfig: await this.kubeconfig(),
      ...spec,
    });
  }

  /** Watches a kind until one of its objects fulfils the condition. */
  async until(plural: string, name: string, holds: (object: JsonObject) => boolean): Promise<JsonObject> {
    const { body } = await this.here.request(this.server, `${groupPath}/${plural}?watch=true`);
    let rest = '';
    for await (const chunk of body) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const { object } = JSON.parse(line) as { object: JsonObject };
        if (textAt(object, 'metadata', 'name') === name && holds(object)) return object;
      }
    }
    throw new Error('the watch ended');
  }

  failed(): Promise<JsonObject> {
    return this.until('clusters', 'remote', (cluster) => textAt(cluster, 'status', 'phase') === 'Failed');
  }

  async give(kubeconfig: string): Promise<void> {
    const path = `${groupPath}/clusters/remote`;
    const answer = await this.here.send(this.server, path, mergePatch({ spec: { kubeconfig } }));
    expect(answer.code, answer.text).toBe(200);
  }

  online(): Promise<JsonObject> {
    return this.until('clusters', 'remote', (cluster) => flagAt(cluster, 'status', 'online'));
  }
}

function condition(cluster: JsonObject, type: string): string {
  const found = listAt(cluster, 'status', 'conditions').find((each) => textAt(each, 'type') === type);
  return `${textAt(found, 'status')} ${textAt(found, 'reason')}`;
}

let bench: ConnectedBench;
beforeEach(async () => {
  bench = await ConnectedBench.open();
});
afterEach(() => bench.close());

describe('a Kubernetes cluster that is connected by its kubeconfig (completions §7, §9)', () => {
  it('becomes online with its version, and does not reveal its credentials', async () => {
    const made = await bench.connect();
    const cluster = await bench.online();
    const version = await bench.there.send(bench.target, '/version');
    expect(cluster).toMatchObject({
      status: {
        phase: 'Initialized',
        reason: 'Online',
        kubernetesVersion: textAt(version.json, 'gitVersion'),
        clusterUID: expect.any(String),
      },
    });
    expect(condition(cluster, 'Ready')).toBe('True Online');
    const key = await bench.there.adminKey();
    const everything = [JSON.stringify([made, cluster]), await bench.here.read('audit.log')].join();
    expect(everything).not.toContain(key);
    expect(everything).not.toContain('certificate-authority-data');
  });

  it('is rejected as a duplicate, and with a kubeconfig that executes commands', async () => {
    await bench.connect();
    const post = (name: string, kubeconfig: string) =>
      bench.here.send(bench.server, `${groupPath}/clusters`, {
        method: 'POST',
        body: { metadata: { name }, spec: { kubeconfig } },
      });
    const again = await post('again', await bench.kubeconfig());
    expect([again.code, textAt(again.json, 'reason')]).toEqual([409, 'Conflict']);
    expect(textAt(again.json, 'message')).toContain('the same cluster as "remote"');
    const own = (load(await bench.here.read('admin.kubeconfig')) as JsonObject) ?? {};
    const itself = await post('itself', dump({ ...own, 'current-context': 'local' }));
    expect([itself.code, textAt(itself.json, 'message')]).toEqual([409, expect.stringContaining('"local"')]);
    const exec = dump({
      ...(load(await bench.kubeconfig()) as JsonObject),
      users: [{ name: 'admin', user: { exec: { command: 'touch', args: ['/tmp/was-here'] } } }],
    });
    const refused = await post('exec', exec);
    expect(refused.code).toBe(422);
    expect(textAt(refused.json, 'message')).toContain('must contain all credentials inline; exec would read files');
  });

  it('reports rejected credentials, and works again with new ones', async () => {
    const key = await bench.there.createKey(bench.target, 'for-here', {});
    await bench.here.createObject(bench.server, 'clusters', 'remote', { kubeconfig: await bench.kubeconfig(key) });
    await bench.online();
    await bench.there.send(bench.target, `${groupPath}/ownedaccesskeys/for-here`, { method: 'DELETE' });
    await bench.here.stop(bench.server);
    bench.server = await bench.here.start();
    const failed = await bench.failed();
    expect(condition(failed, 'CredentialsValid')).toBe('False CredentialsRefused');
    await bench.give(await bench.kubeconfig());
    expect(condition(await bench.online(), 'Ready')).toBe('True Online');
  });

  it('admits callers with access under their own name, and no others', async () => {
    await bench.connect('remote', { access: [{ verbs: ['use'], users: ['anna'] }] });
    await bench.online();
    const keys = new Map<string, string>();
    for (const user of ['anna', 'bert']) {
      await bench.here.createObject(bench.server, 'users', user);
      keys.set(user, await bench.here.createKey(bench.server, `${user}-key`, { user }));
    }
    const ask = (path: string, user?: string) =>
      bench.here.send(bench.server, `${remote}${path}`, user === undefined ? {} : { token: keys.get(user) ?? '' });
    const namespaces = await ask('/api/v1/namespaces');
    expect(listAt(namespaces.json, 'items').map((item) => textAt(item, 'metadata', 'name'))).toContain('kube-system');
    const refused = await ask('/api/v1/namespaces', 'bert');
    expect([refused.code, textAt(refused.json, 'reason')]).toEqual([403, 'Forbidden']);
    // The connected cluster itself authorizes anna's requests.
    const unbound = await ask('/api/v1/namespaces', 'anna');
    expect([unbound.code, textAt(unbound.json, 'message')]).toEqual([403, expect.stringContaining('User "anna"')]);
    const bound = await bench.there.send(
      bench.target,
      '/kubernetes/cluster/local/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
      {
        method: 'POST',
        body: {
          metadata: { name: 'anna' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'platform:user:anna' }],
        },
      },
    );
    expect(bound.code, bound.text).toBe(201);
    expect((await ask('/api/v1/namespaces/default/configmaps', 'anna')).code).toBe(200);
    expect((await ask('/api/v1/namespaces/default/secrets', 'anna')).code).toBe(403);
  });

  it('is not chosen for instances while it is unreachable', async () => {
    await bench.connect();
    await bench.online();
    await bench.here.send(bench.server, `${groupPath}/clusters/local`, mergePatch({ spec: { unusable: true } }));
    const instance = async (name: string) => {
      const path = `${groupPath}/namespaces/platform-p-default/virtualclusterinstances`;
      const answer = await bench.here.send(bench.server, path, {
        method: 'POST',
        body: { metadata: { name }, spec: {} },
      });
      expect(answer.code, answer.text).toBe(201);
      return textAt(answer.json, 'spec', 'clusterRef', 'cluster');
    };
    expect(await instance('one')).toBe('remote');
    await bench.there.stop(bench.target);
    await bench.here.stop(bench.server);
    bench.server = await bench.here.start();
    const away = await bench.failed();
    expect(condition(away, 'Reachable')).toBe('False Unreachable');
    expect(await instance('two')).toBe('');
    bench.target = await bench.there.start();
    await bench.give(await bench.kubeconfig());
    const placed = (object: JsonObject) => textAt(object, 'spec', 'clusterRef', 'cluster') === 'remote';
    await bench.until('virtualclusterinstances', 'two', placed);
  });

  it('is deleted only after its last instance, abandoned or not', async () => {
    await bench.connect();
    await bench.online();
    const path = `${groupPath}/namespaces/platform-p-default/virtualclusterinstances`;
    const body = { metadata: { name: 'one' }, spec: { clusterRef: { cluster: 'remote' } } };
    expect((await bench.here.send(bench.server, path, { method: 'POST', body })).code).toBe(201);
    const deleted = await bench.here.send(bench.server, `${groupPath}/clusters/remote`, { method: 'DELETE' });
    expect(textAt(deleted.json, 'metadata', 'deletionTimestamp')).not.toBe('');
    await bench.until(
      'clusters',
      'remote',
      (cluster) => condition(cluster, 'ContentDeleted') === 'False InstancesRemaining',
    );
    await bench.there.stop(bench.target);
    const annotations = { 'platform.sh/abandon': 'the machines were returned' };
    await bench.here.send(bench.server, `${path}/one`, mergePatch({ metadata: { annotations } }));
    await bench.here.send(bench.server, `${path}/one`, { method: 'DELETE' });
    const { body: watch } = await bench.here.request(bench.server, `${groupPath}/clusters?watch=true`);
    for await (const chunk of watch) if (String(chunk).includes('"type":"DELETED"')) break;
    expect(await bench.here.names(bench.server, 'clusters')).toEqual(['local']);
  });
});
