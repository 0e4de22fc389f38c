import type { PartDependencies, PlanePart } from '../../plane-part.ts';
import { builtinNamespaces, mountNamespaces, planeNamespaces } from './plane-namespaces.ts';

/** The namespaces of a plane with their full lifecycle; `default`, `kube-system` and `kube-public` are built in. */
export function namespacesPart(dependencies: Pick<PartDependencies, 'clock' | 'plane'>): PlanePart {
  const namespaces = planeNamespaces(dependencies);
  return {
    resources: [namespaces],
    builtinObjects: builtinNamespaces,
    mount(stores) {
      const store = stores.get(namespaces.plural);
      if (store === undefined) throw new Error('the control plane has no store for namespaces');
      return [mountNamespaces(store)];
    },
  };
}
