import { setTimeout as delay } from 'node:timers/promises';
import { listAt, textAt } from '@flotilla/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { groupPath } from '../../src/server/server.fixture.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { type Flotilla, instancesPath, openFlotilla } from './harness/open-flotilla.ts';
import { findKubernetes } from './harness/programs.ts';
import { type Kubernetes, startKubernetes } from './harness/start-kubernetes.ts';

const programs = findKubernetes();
const many = 1_000;
const atOnce = 20;

describeIfAvailable(
  typeof programs === 'string' ? programs : undefined,
  'a thousand instances on one real cluster',
  () => {
    let kubernetes: Kubernetes;
    let flotilla: Flotilla;
    const names = Array.from({ length: many }, (_, at) => `vc-${at + 1}`);

    beforeAll(async () => {
      if (typeof programs === 'string') return;
      kubernetes = await startKubernetes({ programs, standIns: false });
      flotilla = await openFlotilla(kubernetes);
      await kubernetes.api.ok('POST', '/api/v1/namespaces', { metadata: { name: 'crowd' } });
      await inTurns(makeByHand);
      await flotilla.connect('europe', kubernetes);
    });
    afterAll(async () => {
      await flotilla?.close();
      await kubernetes?.stop();
    });

    async function inTurns(task: (name: string) => Promise<void>): Promise<void> {
      const left = [...names];
      const turn = async () => {
        for (let name = left.pop(); name !== undefined; name = left.pop()) await task(name);
      };
      await Promise.all(Array.from({ length: atOnce }, turn));
    }

    /**
     * Creates the objects of a sleeping helm release that matter for the test. The release has no running pods, which
     * would load the node and not the server.
     */
    async function makeByHand(name: string): Promise<void> {
      const labels = { app: 'vcluster', release: name };
      const metadata = { name, namespace: 'crowd', labels: { ...labels, chart: 'vcluster-0.30.0', heritage: 'Helm' } };
      const ports = [{ name: 'https', port: 443, targetPort: 8443 }];
      const spec = { clusterIP: 'None', ports, selector: labels };
      await kubernetes.api.ok('POST', '/api/v1/namespaces/crowd/services', { metadata, spec });
      const template = { metadata: { labels }, spec: { containers: [{ name: 'syncer', image: 'vcluster' }] } };
      await kubernetes.api.ok('POST', '/apis/apps/v1/namespaces/crowd/statefulsets', {
        metadata,
        spec: { replicas: 0, serviceName: name, selector: { matchLabels: labels }, template },
      });
    }

    async function phases(): Promise<Set<string>> {
      const { json } = await flotilla.ask(instancesPath);
      const items = listAt(json, 'items');
      expect(items).toHaveLength(many);
      return new Set(items.map((item) => textAt(item, 'status', 'phase')));
    }

    it('are watched with one watch per kind, and cost no request while idle (completions §9.2)', async () => {
      await inTurns(async (name) => {
        const body = {
          sourceVirtualCluster: { name, namespace: 'crowd', cluster: 'europe' },
          skipHelmDeploy: true,
        };
        const made = await flotilla.ask(`${groupPath}/projects/default/importvirtualcluster`, { method: 'POST', body });
        expect(made.code, made.text).toBe(201);
      });
      while ([...(await phases())].join() !== 'Sleeping') await delay(500);

      const own = () => kubernetes.audited().filter(({ userAgent = '' }) => !/^(kube|Helm|test)/.test(userAgent));
      const watches = own().filter(({ verb, stage }) => verb === 'watch' && stage === 'ResponseStarted');
      const kinds = watches.map(({ requestURI }) => new URL(requestURI, 'https://host').pathname);
      expect(kinds).toContain('/api/v1/services');
      expect(new Set(kinds).size).toBe(kinds.length);

      // Wakes a virtual cluster by hand. The server receives the event and sends no requests about the other virtual
      // clusters.
      const before = own().length;
      const scale = { spec: { replicas: 1 } };
      const path = '/apis/apps/v1/namespaces/crowd/statefulsets/vc-7';
      await kubernetes.api.ok('PATCH', path, scale, 'application/merge-patch+json');
      await flotilla.wait('vc-7', 'jsonpath={.status.phase}=Pending');
      expect(own().length - before).toBeLessThan(50);
    });
  },
);
