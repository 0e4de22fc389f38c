import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { asTable, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const services = '/apis/apiregistration.k8s.io/v1/apiservices';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Fields whose values always differ between two servers. */
const ignoredFields = /resourceVersion|\.cells\[\d+\]$/;

/** Compares API services, which list the served API groups. */
export function apiServices(pair: Pair): void {
  describe('API services', () => {
    const compared = comparedTests(pair);
    const get = (name: string, headers = {}) => pair.send({ path: `${services}/${name}`, headers }, { ignoredFields });

    compared('exist for built-in groups', async () => {
      for (const group of [
        '',
        'apps',
        'autoscaling',
        'storage.k8s.io',
        'rbac.authorization.k8s.io',
        'flowcontrol.apiserver.k8s.io',
      ]) {
        await get(`v1.${group}`);
      }
      await get('v2.autoscaling', { accept: asTable });
      await get('v1.apps/status');
      await get('v1.apiregistration.k8s.io');
      await get('v9.apps');
    });

    compared('exist for custom groups', async () => {
      const json = {
        metadata: { name: 'boats.services.test' },
        spec: {
          group: 'services.test',
          scope: 'Namespaced',
          names: { plural: 'boats', kind: 'Boat' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        },
      };
      await pair.prepare({ method: 'POST', path: definitions, json });
      await waitForStatus(pair, 'v1.services.test', 200);
      await get('v1.services.test');
      await pair.prepare({ method: 'DELETE', path: `${definitions}/${json.metadata.name}` });
      await waitForStatus(pair, 'v1.services.test', 404);
    });

    compared('cannot be written', async () => {
      const spec = { group: 'x.test', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 };
      await pair.send({ method: 'POST', path: services, json: { metadata: { name: 'v1.x.test' }, spec } });
      const headers = { 'content-type': mergePatch };
      const body = JSON.stringify({ metadata: { labels: { a: 'b' } } });
      await pair.send({ method: 'PATCH', path: `${services}/v1.policy`, body, headers });
      await pair.send({ path: '/apis/apiregistration.k8s.io/v1' });
    });
  });
}

/** Waits until both servers respond with the status to a GET of an API service. */
async function waitForStatus(pair: Pair, name: string, status: number): Promise<void> {
  for (const side of pair.sides) {
    for (let attempt = 0; attempt < 100; attempt++) {
      if ((await side.send({ path: `${services}/${name}` })).status === status) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
