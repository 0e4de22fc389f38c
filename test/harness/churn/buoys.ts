import { setTimeout as pause } from 'node:timers/promises';
import { ApiextensionsV1Api, CoreV1Api, type KubeConfig } from '@kubernetes/client-node';

/** The collection under churn: a kind in one namespace. */
export interface ResourceCollection {
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly plural: string;
}

export const buoyKind = 'Buoy';

/**
 * Custom objects of the built-in cluster. No controller of the server writes to them, so every change is the test's
 * own.
 */
export const buoys: ResourceCollection = {
  group: 'sea.example.com',
  version: 'v1',
  namespace: 'churn',
  plural: 'buoys',
};

/** A second namespace with objects of the kind under churn. */
export const otherNamespace = 'elsewhere';

/** Creates the kind and its namespaces. Resolves once objects can be created. */
export async function defineBuoys(config: KubeConfig): Promise<void> {
  const { group, version, namespace, plural } = buoys;
  for (const name of [namespace, otherNamespace]) {
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
