import {
  cloneJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  numberAt,
  objectAt,
  textAt,
} from '@flotilla/json';
import { type KubeObject, timestamp } from '../../../../../api/meta.ts';
import { labelSelectorMatches } from '../../../../../api/selectors/selector-object.ts';
import { forbidden, StatusError, tooManyRequests } from '../../../../../api/status.ts';
import type { KindStore } from '../../../../../registry/kind-store.ts';
import { systemContext } from '../../../../system-context.ts';
import type { StoreOf } from '../admission/refuse-pod.ts';
import { podCondition } from '../pod-conditions.ts';

/** The maximum number of evictions that a budget's controller has not yet included in the budget. */
const maxUncounted = 2_000;
const maxAttempts = 20;
const violation = "Cannot evict pod as it would violate the pod's disruption budget.";

/** The disruption budget of a pod. */
interface PodBudget {
  readonly name: string;
  readonly store: KindStore;
  /** True if a pod that is not ready can be evicted without using the budget. */
  readonly allowsUnready: boolean;
}

export function isReady(pod: KubeObject): boolean {
  return textAt(podCondition(pod as JsonValue, 'Ready'), 'status') === 'True';
}

/**
 * Returns the budget of a pod; `undefined` if the pod has none. Throws 500 if the pod has several budgets, as
 * Kubernetes does.
 */
export function budgetOf({ metadata }: KubeObject, storeOf: StoreOf): PodBudget | undefined {
  const store = storeOf('poddisruptionbudgets.policy');
  const budgets = (store?.peekAll(metadata.namespace ?? '') ?? [])
    .map(({ object }) => object)
    .filter((budget) => {
      const selector = objectAt(budget as JsonValue, 'spec', 'selector');
      return selector !== undefined && labelSelectorMatches(selector, metadata.labels ?? {});
    });
  const [budget] = budgets;
  if (store === undefined || budget === undefined) return undefined;
  if (budgets.length > 1) {
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
  }
  const status = objectAt(budget as JsonValue, 'status');
  const [healthy, desired] = [numberAt(status, 'currentHealthy') ?? 0, numberAt(status, 'desiredHealthy') ?? 0];
  const policy = textAt(budget as JsonValue, 'spec', 'unhealthyPodEvictionPolicy');
  const allowsUnready = policy === 'AlwaysAllow' || (healthy >= desired && desired > 0);
  return { name: budget.metadata.name ?? '', store, allowsUnready };
}

/** Uses one of the budget's allowed disruptions. Throws 429 if none is left. A dry run only checks the budget. */
export async function takeDisruption(
  { name, store }: PodBudget,
  { metadata }: KubeObject,
  dryRun: boolean,
): Promise<void> {
  const context = systemContext(metadata.namespace ?? '');
  for (let attempt = 1; ; attempt++) {
    const { object: budget } = await store.verbs.get(context, name, { resourceVersion: '' });
    checkBudget(budget);
    if (dryRun) return;
    const next = withDisruption(budget, metadata.name ?? '');
    try {
      const options = { dryRun: false, fieldManager: 'kube-apiserver', fieldValidation: 'Ignore' } as const;
      await store.status?.update(context, name, next, options);
      return;
    } catch (error) {
      const isConflict = error instanceof StatusError && error.status.reason === 'Conflict';
      if (!isConflict || attempt === maxAttempts) throw error;
    }
  }
}

function checkBudget(budget: KubeObject): void {
  const { name = '', generation = 0 } = budget.metadata;
  const status = objectAt(budget as JsonValue, 'status');
  const allowed = numberAt(status, 'disruptionsAllowed') ?? 0;
  if ((numberAt(status, 'observedGeneration') ?? 0) < generation) throw stillProcessed(name);
  const refuse = (reason: string) => forbidden({ group: 'policy', resource: 'poddisruptionbudget' }, name, reason);
  if (allowed < 0) throw refuse('pdb disruptions allowed is negative');
  if (Object.keys(objectAt(status, 'disruptedPods') ?? {}).length > maxUncounted) {
    throw refuse('DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  }
  if (allowed === 0) throw tooManyDisruptions(0, refusalOf(name, status));
}

function refusalOf(name: string, status: JsonObject | undefined): string {
  const condition = listAt(status, 'conditions').find((one) => textAt(one, 'type') === 'DisruptionAllowed');
  const [reason, message] = [textAt(condition, 'reason'), textAt(condition, 'message')];
  const hasMessage = textAt(condition, 'status') === 'False' && message !== '';
  const start = `The disruption budget ${name}`;
  const refused = `${start} does not allow evicting pods currently`;
  const [healthy, desired] = [numberAt(status, 'currentHealthy') ?? 0, numberAt(status, 'desiredHealthy') ?? 0];
  if (hasMessage && reason === 'SyncFailed') return `${refused} because it failed sync: ${message}`;
  if (healthy <= desired) return `${start} needs ${desired} healthy pods and has ${healthy} currently`;
  return hasMessage ? `${refused} (${reason}): ${message}` : refused;
}

/** Returns the error (429) for a budget whose controller has not processed the budget's last change. */
export function stillProcessed(name: string): StatusError {
  return tooManyDisruptions(10, `The disruption budget ${name} is still being processed by the server.`);
}

function tooManyDisruptions(retryAfterSeconds: number, message: string): StatusError {
  const { status } = tooManyRequests(violation, retryAfterSeconds);
  const causes = [{ reason: 'DisruptionBudget', message }];
  const details = retryAfterSeconds === 0 ? { causes } : { causes, retryAfterSeconds };
  return new StatusError({ ...status, details });
}

function withDisruption(budget: KubeObject, pod: string): KubeObject {
  const next = cloneJson(budget) as JsonObject & KubeObject;
  const status = isJsonObject(next.status) ? next.status : {};
  const now = timestamp(Date.now());
  const allowed = (numberAt(status, 'disruptionsAllowed') ?? 0) - 1;
  status.disruptionsAllowed = allowed;
  status.disruptedPods = { ...objectAt(status, 'disruptedPods'), [pod]: now };
  if (allowed === 0) status.conditions = withoutDisruptions(status, now);
  next.status = status;
  return next;
}

function withoutDisruptions(status: JsonObject, now: string): JsonValue[] {
  const type = 'DisruptionAllowed';
  const conditions = listAt(status, 'conditions');
  const old = conditions.find((one) => textAt(one, 'type') === type);
  const isSame = textAt(old, 'status') === 'False';
  const condition = {
    type,
    status: 'False',
    observedGeneration: numberAt(status, 'observedGeneration') ?? 0,
    lastTransitionTime: isSame ? textAt(old, 'lastTransitionTime') : now,
    reason: 'InsufficientPods',
    message: '',
  };
  return old === undefined ? [...conditions, condition] : conditions.map((one) => (one === old ? condition : one));
}
