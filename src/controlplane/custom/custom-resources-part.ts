import { customResourceDefinitionKind } from '../../api/apiextensions/custom-resource-definition.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { findStore } from '../../registry/kind-stores.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import { mountStoredKind } from '../../registry/verbs/stored-verbs.ts';
import type { PartDependencies, PlanePart } from '../plane-part.ts';
import { CustomKindsController } from './custom-kinds.ts';
import { definitionsResource } from './definitions-resource.ts';

/** The plane part that provides CustomResourceDefinitions and the kinds that they define. */
export function customResourcesPart(dependencies: PartDependencies): PlanePart {
  const kinds = new CustomKindsController(dependencies);
  const resource = definitionsResource({
    clock: dependencies.clock,
    reconcile: (name, fence) => kinds.reconcile(name, { fence }),
    guardNames: (draft, context) => kinds.guardNames(draft, context),
    isShared: () => kinds.isShared,
    definitionsWaitingIn: (group) => kinds.definitionsWaitingIn(group),
  });
  return {
    resources: [resource],
    mount(stores) {
      const store = findStore(stores, customResourceDefinitionKind);
      return store === undefined ? [] : [mountDefinitions(store, kinds)];
    },
    settled: (group) => kinds.settled(group),
    start: () => kinds.start(),
  };
}

/**
 * Serves CustomResourceDefinitions. A write responds only after the kind is served, so the client can use the kind in
 * its next request. If serving the kind fails, the write still succeeds and maintenance retries.
 */
function mountDefinitions(store: KindStore, kinds: CustomKindsController): MountedResource {
  const { verbs } = store;
  const afterEstablishing = async <T extends { readonly object: { metadata: { name?: string } } }>(
    written: Promise<T>,
  ) => {
    const result = await written;
    await kinds.establish(result.object.metadata.name ?? '').catch(() => undefined);
    return result;
  };
  const mounted = mountStoredKind(store);
  return {
    ...mounted,
    verbs: {
      ...mounted.verbs,
      create: (context, object, options) => afterEstablishing(verbs.create(context, object, options)),
      update: (context, name, object, options) => afterEstablishing(verbs.update(context, name, object, options)),
      patch: (context, name, patch, options) => afterEstablishing(verbs.patch(context, name, patch, options)),
    },
  };
}
