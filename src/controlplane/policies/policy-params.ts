import type { JsonValue } from '@flotilla/json';
import type { PolicySpec } from '../../api/admissionregistration/validating-admission-policy.ts';
import type { PolicyBindingSpec } from '../../api/admissionregistration/validating-admission-policy-binding.ts';
import { type KubeObject, parseApiVersion } from '../../api/meta.ts';
import { labelSelectorMatches } from '../../api/selectors/selector-object.ts';
import { WorkBudget } from '../../lib/work-budget.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { KindStores } from '../../registry/kind-stores.ts';
import { PARAMETER_COST, type RequestBudget } from './request-budget.ts';

/**
 * Thrown if the parameters of a binding cannot be found. The `failurePolicy` of the policy decides whether the write is
 * refused.
 */
export class PolicyBindingError extends Error {}

/** A binding whose parameter objects are collected for a write. */
export interface ParamSource {
  readonly stores: KindStores;
  readonly kind: PolicySpec['paramKind'];
  readonly reference: PolicyBindingSpec['paramRef'];
  /** The namespace of the request, empty for cluster-scoped objects. */
  readonly namespace: string;
}

/** The limits of the work for one write: its cost budget and its time slices. */
interface CollectingWork {
  readonly budget: RequestBudget;
  readonly nextTimeSlice?: (() => Promise<void>) | undefined;
}

/** The number of objects that are compared with a selector in one time slice. */
const objectsPerSlice = 500;

/**
 * Returns the parameter objects of a binding; the policy is evaluated once for each of them. `[undefined]` means one
 * evaluation without a parameter object. Throws PolicyBindingError or RequestBudgetExceeded.
 */
export async function collectParams(
  { stores, kind, reference, namespace }: ParamSource,
  work: CollectingWork,
): Promise<readonly (KubeObject | undefined)[]> {
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
  const found = await objectsOf(store, reference, paramNamespace, work);
  if (found.length === 0 && reference.parameterNotFoundAction === 'Deny') {
    throw new PolicyBindingError('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return found;
}

async function objectsOf(
  store: KindStore,
  reference: NonNullable<PolicyBindingSpec['paramRef']>,
  namespace: string,
  { budget, nextTimeSlice }: CollectingWork,
): Promise<KubeObject[]> {
  if ((reference.name ?? '') !== '') {
    const found = store.peek(namespace, reference.name ?? '');
    return found === undefined ? [] : [found.object];
  }
  budget.spend(PARAMETER_COST * store.count(namespace));
  const selector = (reference.selector ?? {}) as JsonValue;
  const selected: KubeObject[] = [];
  const slices = new WorkBudget(objectsPerSlice, nextTimeSlice);
  for (const served of store.peekAll(namespace)) {
    const { object } = served;
    if (labelSelectorMatches(selector, object.metadata.labels ?? {})) selected.push(object);
    if (slices.spend(1)) await slices.next();
  }
  return selected;
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
