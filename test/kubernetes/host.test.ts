import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { httpClient } from '../../src/client/http-client.ts';
import { hostSuite } from '../../src/hosts/host.suite.ts';
import type { HostLocation } from '../../src/hosts/host.ts';
import { groupsWithRole } from '../../src/hosts/spaces/binding-groups.fixture.ts';
import { spaceSuite } from '../../src/hosts/spaces/space.suite.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { openHost } from './harness/open-host.ts';
import { findKubernetes } from './harness/programs.ts';
import { type Kubernetes, startKubernetes } from './harness/start-kubernetes.ts';
import { wipeNamespaces } from './harness/wipe-namespaces.ts';

const programs = findKubernetes();

describeIfAvailable(typeof programs === 'string' ? programs : undefined, 'on a real cluster', () => {
  let kubernetes: Kubernetes;

  beforeAll(async () => {
    if (typeof programs !== 'string') kubernetes = await startKubernetes({ programs });
  });
  afterAll(() => kubernetes.stop());

  const open = async () => {
    const opened = openHost(kubernetes);
    const hostClient = httpClient({ server: '', fetch: opened.fetch });
    return {
      host: opened.host,
      // The cluster does its pending work without being asked, so this function only waits. Requests would slow the
      // cluster down.
      runPendingWork: () => delay(100),
      async createNamespace(name: string) {
        await kubernetes.api.ok('POST', '/api/v1/namespaces', { metadata: { name } });
      },
      hasNamespace: async (name: string) =>
        (await kubernetes.api.request('GET', `/api/v1/namespaces/${name}`)).code === 200,
      groupsWithRole: (namespace: string, role: string) => groupsWithRole(hostClient, namespace, role),
      async createManually(place: HostLocation) {
        await kubernetes.installByHand(place);
      },
      async close() {
        await opened.close();
        await wipeNamespaces(kubernetes);
      },
    };
  };
  hostSuite('of the Kubernetes kind', open);
  spaceSuite('of the Kubernetes kind', open);
});
