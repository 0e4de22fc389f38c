import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { hostSuite } from '../../src/hosts/host.suite.ts';
import { describeWith } from '../harness/suite.ts';
import { openHost } from './harness/open-host.ts';
import { findKubernetes } from './harness/programs.ts';
import { type Kubernetes, startKubernetes } from './harness/start-kubernetes.ts';
import { wipeNamespaces } from './harness/wipe-namespaces.ts';

const programs = findKubernetes();

describeWith(typeof programs === 'string' ? programs : undefined, 'on a real cluster', () => {
  let kubernetes: Kubernetes;

  beforeAll(async () => {
    if (typeof programs !== 'string') kubernetes = await startKubernetes({ programs });
  });
  afterAll(() => kubernetes.stop());

  hostSuite('of the Kubernetes kind', async () => {
    const opened = openHost(kubernetes);
    return {
      host: opened.host,
      // The cluster works by itself; asked less often it gets there sooner.
      work: () => delay(100),
      async makeNamespace(name) {
        await kubernetes.api.ok('POST', '/api/v1/namespaces', { metadata: { name } });
      },
      hasNamespace: async (name) => (await kubernetes.api.ask('GET', `/api/v1/namespaces/${name}`)).code === 200,
      async makeByHand(place) {
        await kubernetes.installByHand(place);
      },
      async close() {
        await opened.close();
        await wipeNamespaces(kubernetes);
      },
    };
  });
});
