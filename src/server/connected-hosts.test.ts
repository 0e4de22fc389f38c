import { type JsonObject, textAt } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusterKind } from '../api/management/v1/cluster.ts';
import type { ClosableHost } from '../hosts/host.ts';
import { FakeCluster } from '../hosts/kubernetes/reach/fake-cluster.fixture.ts';
import { silentLog } from '../lib/log.ts';
import { openManagementTestEnv, patchOptions } from '../management/management.fixture.ts';
import { kubeconfigPurpose } from '../management/resources/cluster-hidden.ts';
import { storeOf } from '../registry/kind-stores.ts';
import { connectHosts } from './connected-hosts.ts';

const kubeconfig = (token: string) => `
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters: [{name: k, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: ${token}}}]
`;

async function setUp() {
  const management = await openManagementTestEnv();
  const cluster = new FakeCluster('u-1');
  const hosts: { name: string; isOpen: boolean }[] = [];
  const replaced: string[] = [];
  const connected = () => {
    const made = connectHosts({
      clusters: storeOf(management.plane.kinds, clusterKind),
      unseal: (sealed) => management.sealer.open(kubeconfigPurpose, sealed),
      connect: (given) => cluster.connect(given),
      hostOn(name) {
        const host = { name, isOpen: true };
        hosts.push(host);
        const close = async () => {
          host.isOpen = false;
        };
        return { close } as unknown as ClosableHost;
      },
      log: silentLog,
    });
    made.onReplaced((name) => replaced.push(name));
    return made;
  };
  const merge = (name: string, spec: JsonObject) =>
    management
      .verbs('clusters')
      .patch(management.admin(), name, { type: 'merge', document: { spec }, findings: [] }, patchOptions);
  return { ...management, cluster, hosts, replaced, connected, merge };
}

describe('hosts of clusters with a kubeconfig', () => {
  it('exist for existing and new clusters with a kubeconfig only', async () => {
    const { create, connected, remove, hosts, replaced, cluster } = await setUp();
    await create('clusters', 'was', { kubeconfig: kubeconfig('t1') });
    const made = connected();
    await create('clusters', 'came', { kubeconfig: kubeconfig('t2') });
    await create('clusters', 'peer', { networkPeer: true });
    const known = ['was', 'came', 'peer', 'local', 'none'].filter((name) => made.hostOf(name) !== undefined);
    expect(known).toEqual(['was', 'came']);
    expect(made.apiOf('was')).toBe(made.connectionOf('was')?.api);
    await remove('clusters', 'came');
    expect([made.hostOf('came'), made.apiOf('came'), made.connectionOf('came')]).toEqual(Array(3).fill(undefined));
    expect([replaced, hosts.map(({ isOpen }) => isOpen)]).toEqual([
      ['came', 'came'],
      [true, false],
    ]);
    await made.close();
    expect([cluster.open, hosts.some(({ isOpen }) => isOpen), made.hostOf('was')]).toEqual([0, false, undefined]);
  });

  it('are replaced when the credentials change, and only then', async () => {
    const { create, connected, merge, replaced, cluster } = await setUp();
    const made = connected();
    await create('clusters', 'c', { kubeconfig: kubeconfig('t1') });
    const first = made.hostOf('c');
    await merge('c', { displayName: 'C', kubeconfig: kubeconfig('t1') });
    expect(made.hostOf('c')).toBe(first);
    await merge('c', { kubeconfig: kubeconfig('t2') });
    expect(made.hostOf('c')).not.toBe(first);
    expect(made.connectionOf('c')?.kubeconfig).toContain('t2');
    await merge('c', { networkPeer: true });
    expect(made.hostOf('c')).toBeUndefined();
    expect(replaced).toEqual(['c', 'c', 'c']);
    await made.close();
    expect(cluster.open).toBe(0);
  });

  it('always match the Cluster objects, for any sequence of changes', async () => {
    const names = ['a', 'b', 'c'];
    const step = fc.record({
      name: fc.constantFrom(...names),
      act: fc.constantFrom('create', 'give', 'peer', 'remove', 'rename'),
      token: fc.constantFrom('t1', 't2'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { create, connected, merge, remove, cluster, state, hosts, plane, sealer } = await setUp();
        const made = connected();
        const acts = {
          create: (name: string, token: string) => create('clusters', name, { kubeconfig: kubeconfig(token) }),
          give: (name: string, token: string) => merge(name, { networkPeer: null, kubeconfig: kubeconfig(token) }),
          peer: (name: string) => merge(name, { networkPeer: true, kubeconfig: null }),
          remove: (name: string) => remove('clusters', name),
          rename: (name: string, token: string) => merge(name, { displayName: token }),
        };
        for (const { name, act, token } of steps) {
          if ((act === 'create') === (state.cluster(name) !== undefined)) continue;
          await acts[act](name, token);
          const wanted = names.map((each) => {
            const hidden = storeOf(plane.kinds, clusterKind).peekHidden('', each);
            const sealed = textAt(hidden, 'kubeconfig');
            return sealed === '' ? undefined : sealer.open(kubeconfigPurpose, sealed).match(/token: (\w+)/)?.[1];
          });
          const found = names.map((each) => made.connectionOf(each)?.kubeconfig.match(/"token":"(\w+)"/)?.[1]);
          expect(found).toEqual(wanted);
          expect(hosts.filter(({ isOpen }) => isOpen).length).toBe(wanted.filter((each) => each !== undefined).length);
        }
        await made.close();
        expect(cluster.open).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  it('are unavailable while another cluster responds than the object’s own', async () => {
    const { create, connected, plane, replaced, system } = await setUp();
    const made = connected();
    await create('clusters', 'c', { kubeconfig: kubeconfig('t1') });
    const host = made.hostOf('c');
    const say = (status: string) =>
      storeOf(plane.kinds, clusterKind).status?.patch(
        system(),
        'c',
        { type: 'merge', document: { status: { conditions: [{ type: 'Unique', status }] } }, findings: [] },
        patchOptions,
      );
    await say('False');
    expect([made.hostOf('c'), made.apiOf('c')]).toEqual([undefined, undefined]);
    expect(made.connectionOf('c')).toBeDefined();
    await say('True');
    expect([made.hostOf('c') === host, replaced.length]).toEqual([true, 3]);
    await made.close();
  });

  it('do not exist for kubeconfigs that this installation did not seal', async () => {
    const { create, connected, sealer } = await setUp();
    await create('clusters', 'a', { kubeconfig: kubeconfig('t1') });
    const open = sealer.open.bind(sealer);
    sealer.open = () => {
      throw new Error('sealed by somebody else');
    };
    const made = connected();
    expect(made.hostOf('a')).toBeUndefined();
    sealer.open = open;
    await create('clusters', 'b', { kubeconfig: kubeconfig('t2') });
    expect(made.hostOf('b')).toBeDefined();
    await made.close();
  });
});
