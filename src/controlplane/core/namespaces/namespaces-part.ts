import type { PartDependencies, PlanePart } from '../../plane-part.ts';
import { builtinNamespaces, mountNamespaces, planeNamespaces } from './plane-namespaces.ts';

/** The plane part that provides namespaces. `default`, `kube-system` and `kube-public` exist in every plane. */
export function namespacesPart(dependencies: Pick<PartDependencies, 'clock' | 'plane'>): PlanePart {
  const namespaces = planeNamespaces(dependencies);
  return {
    resources: [namespaces],
    builtinObjects: builtinNamespaces,
    mount(stores) {
      const store = stores.get(namespaces.plural);
      if (store === undefined) throw new Error('the control plane was opened without the kind namespaces');
      return [mountNamespaces(store)];
    },
  };
}
