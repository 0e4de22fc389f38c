import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { hostSuite } from '../../src/hosts/host.suite.ts';
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

  hostSuite('of the Kubernetes kind', async () => {
    const opened = openHost(kubernetes);
    return {
      host: opened.host,
      // The cluster makes progress by itself, and faster with fewer requests.
      runPendingWork: () => delay(100),
      async createNamespace(name) {
        await kubernetes.api.ok('POST', '/api/v1/namespaces', { metadata: { name } });
      },
      hasNamespace: async (name) => (await kubernetes.api.request('GET', `/api/v1/namespaces/${name}`)).code === 200,
      async createManually(place) {
        await kubernetes.installByHand(place);
      },
      async close() {
        await opened.close();
        await wipeNamespaces(kubernetes);
      },
    };
  });
});
