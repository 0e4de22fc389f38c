import type { KubeObject } from '../../api/meta.ts';
import type { KindStore } from '../../registry/kind-store.ts';

/** A binding of a validating or mutating policy. */
export interface PolicyBinding<Spec> {
  readonly name: string;
  readonly spec: Spec;
}

/** Returns the bindings by the names of their policies. */
export function groupBindings<Spec extends { readonly policyName?: string }>(
  bindings: KindStore,
): Map<string, PolicyBinding<Spec>[]> {
  const found = new Map<string, PolicyBinding<Spec>[]>();
  for (const { object } of bindings.peekAll() as Iterable<{ readonly object: KubeObject }>) {
    const spec = (object.spec ?? {}) as unknown as Spec;
    const { policyName = '' } = spec;
    const binding = { name: object.metadata.name ?? '', spec };
    const others = found.get(policyName);
    if (others === undefined) found.set(policyName, [binding]);
    else others.push(binding);
  }
  return found;
}
