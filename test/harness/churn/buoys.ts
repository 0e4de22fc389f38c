import { setTimeout as pause } from 'node:timers/promises';
import { ApiextensionsV1Api, CoreV1Api, type KubeConfig } from '@kubernetes/client-node';

/** Where the churn takes place: a kind in one namespace. */
export interface Place {
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly plural: string;
}

export const buoyKind = 'Buoy';

/** Custom objects of the built-in cluster, which no controller of the server writes to: every change is the test's. */
export const buoys: Place = { group: 'sea.example.com', version: 'v1', namespace: 'churn', plural: 'buoys' };

/** Another namespace with the same kind. */
export const elsewhere = 'elsewhere';

/** Makes the kind and its namespaces; returns when objects can be made. */
export async function defineBuoys(config: KubeConfig): Promise<void> {
  const { group, version, namespace, plural } = buoys;
  for (const name of [namespace, elsewhere]) {
    await config.makeApiClient(CoreV1Api).createNamespace({ body: { metadata: { name } } });
  }
  const spec = { type: 'object', properties: { displayName: { type: 'string' } } };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  const definitions = config.makeApiClient(ApiextensionsV1Api);
  const name = `${plural}.${group}`;
  await definitions.createCustomResourceDefinition({
    body: {
      metadata: { name },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural, singular: 'buoy', kind: buoyKind },
        versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    },
  });
  const signal = AbortSignal.timeout(30_000);
  for (;;) {
    const { status } = await definitions.readCustomResourceDefinition({ name });
    if (status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True')) return;
    await pause(20, undefined, { signal });
  }
}
