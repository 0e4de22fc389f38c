import { customResourceDefinitionKind } from '../../api/apiextensions/custom-resource-definition.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { findStore } from '../../registry/kind-stores.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import { mountStored } from '../../registry/stored-verbs.ts';
import type { PartDependencies, PlanePart } from '../plane-part.ts';
import { CustomKinds } from './custom-kinds.ts';
import { definitionsResource } from './definitions-resource.ts';

/** Custom resource definitions, and everything that they define. */
export function customResourcesPart(dependencies: PartDependencies): PlanePart {
  const kinds = new CustomKinds(dependencies);
  const resource = definitionsResource({
    clock: dependencies.clock,
    settle: (name) => kinds.settle(name),
    waitingIn: (group) => kinds.waitingIn(group),
  });
  return {
    resources: [resource],
    mount(stores) {
      const store = findStore(stores, customResourceDefinitionKind);
      return store === undefined ? [] : [mountDefinitions(store, kinds)];
    },
    start: () => kinds.start(),
  };
}

/**
 * Who writes a definition is answered when it is served, so that what is defined can be used with the next request. If
 * that fails, upkeep goes on with it, and the write stands.
 */
function mountDefinitions(store: KindStore, kinds: CustomKinds): MountedResource {
  const { verbs } = store;
  const settled = async <T extends { readonly object: { metadata: { name?: string } } }>(written: Promise<T>) => {
    const answer = await written;
    await kinds.settle(answer.object.metadata.name ?? '').catch(() => undefined);
    return answer;
  };
  const mounted = mountStored(store);
  return {
    ...mounted,
    verbs: {
      ...mounted.verbs,
      create: (context, object, options) => settled(verbs.create(context, object, options)),
      update: (context, name, object, options) => settled(verbs.update(context, name, object, options)),
      patch: (context, name, patch, options) => settled(verbs.patch(context, name, patch, options)),
    },
  };
}
