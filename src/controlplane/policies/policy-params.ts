import type { JsonValue } from '@flotilla/json';
import type { PolicySpec } from '../../api/admissionregistration/validating-admission-policy.ts';
import type { PolicyBindingSpec } from '../../api/admissionregistration/validating-admission-policy-binding.ts';
import { type KubeObject, parseApiVersion } from '../../api/meta.ts';
import { labelSelectorMatches } from '../../api/selectors/selector-object.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { KindStores } from '../../registry/kind-stores.ts';

/** Thrown if the parameters of a binding cannot be found. The `failurePolicy` of the policy decides what follows. */
export class PolicyBindingError extends Error {}

/**
 * Returns the parameter objects of a binding; the policy is evaluated once for each of them. `[undefined]` means one
 * evaluation without a parameter object. `namespace` is the namespace of the request, empty for cluster-scoped objects.
 */
export function collectParams(
  stores: KindStores,
  kind: PolicySpec['paramKind'],
  reference: PolicyBindingSpec['paramRef'],
  namespace: string,
): readonly (KubeObject | undefined)[] {
  if (kind === undefined || reference === undefined) return [undefined];
  const store = storeOf(stores, kind);
  if (store === undefined) {
    throw new PolicyBindingError(`paramKind kind \`${kind.apiVersion}, Kind=${kind.kind}\` not known`);
  }
  const { namespaced } = store.resource;
  if (!namespaced && (reference.namespace ?? '') !== '') {
    throw new PolicyBindingError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const paramNamespace = namespaced ? reference.namespace || namespace : '';
  if (namespaced && paramNamespace === '') {
    throw new PolicyBindingError(
      'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    );
  }
  const found = objectsOf(store, reference, paramNamespace);
  if (found.length === 0 && reference.parameterNotFoundAction === 'Deny') {
    throw new PolicyBindingError('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return found;
}

function objectsOf(
  store: KindStore,
  reference: NonNullable<PolicyBindingSpec['paramRef']>,
  namespace: string,
): KubeObject[] {
  if ((reference.name ?? '') !== '') {
    const found = store.peek(namespace, reference.name ?? '');
    return found === undefined ? [] : [found.object];
  }
  const selector = (reference.selector ?? {}) as JsonValue;
  return store
    .peekAll(namespace)
    .map(({ object }) => object)
    .filter(({ metadata }) => labelSelectorMatches(selector, metadata.labels ?? {}));
}

function storeOf(
  stores: KindStores,
  { apiVersion = '', kind = '' }: NonNullable<PolicySpec['paramKind']>,
): KindStore | undefined {
  const { group } = parseApiVersion(apiVersion);
  for (const store of stores.values()) {
    if (store.resource.group === group && store.resource.kind === kind) return store;
  }
  return undefined;
}
