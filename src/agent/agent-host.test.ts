import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { namespaceKind } from '../api/core/namespace.ts';
import { virtualClusterKind } from '../api/storage/virtual-cluster.ts';
import { newTestObject } from '../builtin/planes-test-env.fixture.ts';
import { httpClient } from '../client/http-client.ts';
import { remoteBuiltinHost } from '../hosts/builtin/remote-builtin-host.ts';
import { type HostUnderTest, hostSuite } from '../hosts/host.suite.ts';
import { connectToHost } from '../hosts/kubernetes/reach/host-connection.ts';
import { groupsWithRole } from '../hosts/spaces/binding-groups.fixture.ts';
import { type SpacesUnderTest, spaceSuite } from '../hosts/spaces/space.suite.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { AgentTestEnv, agentCluster } from './agent.fixture.ts';

/**
 * Opens the agent's cluster as the control server reaches it: at an address, with a credential that has full
 * permissions.
 */
async function open(): Promise<HostUnderTest & SpacesUnderTest> {
  const at = await AgentTestEnv.open();
  const { url } = await at.start();
  const token = await at.directToken(await at.serverEnv.adminKey());
  await at.waitForCode('/kubernetes/cluster/api/v1/namespaces', token, 200);
  const connection = connectToHost(
    {
      server: `${url}/kubernetes/cluster/${agentCluster}`,
      certificateAuthority: await readFile(join(at.dataDir, 'ca.crt'), 'utf8'),
      token,
    },
    { clock: systemClock },
  );
  const hostClient = httpClient({ server: '', fetch: connection.fetch });
  const host = remoteBuiltinHost({ connection, clock: systemClock, log: silentLog });
  return {
    host,
    // Each probe is a request over the network, which gives the agent time to work.
    async runPendingWork() {
      await at.send('/readyz', '');
    },
    async createNamespace(name) {
      await hostClient.resource(namespaceKind).create(newTestObject(namespaceKind, { name }));
    },
    hasNamespace: async (name) => (await at.code(`/kubernetes/cluster/api/v1/namespaces/${name}`, token)) === 200,
    async createManually(place) {
      await hostClient.resource(virtualClusterKind).create(newTestObject(virtualClusterKind, { ...place }));
    },
    groupsWithRole: (namespace, role) => groupsWithRole(hostClient, namespace, role),
    async close() {
      await host.close();
      await connection.close();
      await at.close();
    },
  };
}

hostSuite('the cluster of an agent', open);
spaceSuite('the cluster of an agent', open);
