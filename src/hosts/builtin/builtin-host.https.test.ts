import { namespaceKind } from '../../api/core/namespace.ts';
import { virtualClusterKind } from '../../api/storage/virtual-cluster.ts';
import { newTestObject } from '../../builtin/planes-test-env.fixture.ts';
import { httpClient } from '../../client/http-client.ts';
import { systemClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { ServerTestEnv } from '../../server/server.fixture.ts';
import { type HostUnderTest, hostSuite } from '../host.suite.ts';
import { connectToHost } from '../kubernetes/reach/host-connection.ts';
import { groupsWithRole } from '../spaces/binding-groups.fixture.ts';
import { type SpacesUnderTest, spaceSuite } from '../spaces/space.suite.ts';
import { remoteBuiltinHost } from './remote-builtin-host.ts';

/** Opens the built-in cluster over HTTPS, as from another machine, with an address and a key. */
async function open(): Promise<HostUnderTest & SpacesUnderTest> {
  const bench = await ServerTestEnv.open();
  const server = await bench.start();
  const connection = connectToHost(
    {
      server: `${server.url}/kubernetes/cluster/local`,
      certificateAuthority: await bench.read('ca.crt'),
      token: await bench.adminKey(),
    },
    { clock: systemClock },
  );
  const hostClient = httpClient({ server: '', fetch: connection.fetch });
  const { code } = await bench.send(server, '/kubernetes/cluster/local/readyz');
  if (code !== 200) throw new Error('the built-in cluster is not ready');
  const host = remoteBuiltinHost({ connection, clock: systemClock, log: silentLog });
  return {
    host,
    // Each poll goes over the network. The server does its work in the meantime.
    async runPendingWork() {
      await bench.send(server, '/readyz', { token: '' });
    },
    async createNamespace(name) {
      await hostClient.resource(namespaceKind).create(newTestObject(namespaceKind, { name }));
    },
    hasNamespace: async (name) =>
      (await bench.send(server, `/kubernetes/cluster/local/api/v1/namespaces/${name}`)).code === 200,
    async createManually(place) {
      await hostClient.resource(virtualClusterKind).create(newTestObject(virtualClusterKind, { ...place }));
    },
    groupsWithRole: (namespace, role) => groupsWithRole(hostClient, namespace, role),
    async close() {
      await host.close();
      await connection.close();
      await bench.close();
    },
  };
}

hostSuite('the built-in host over HTTPS', open);
spaceSuite('the built-in host over HTTPS', open);
