import type { KubeObject } from '../../api/meta.ts';
import { roleRefOf } from '../../api/rbac/binding.ts';
import { rulesOf } from '../../api/rbac/policy-rule.ts';
import { listAt } from '../../lib/json-path.ts';
import { cloneJson, equalJson, type JsonObject, type JsonValue } from '../../lib/json-value.ts';
import type { Log } from '../../lib/log.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { systemContext } from '../system-context.ts';
import { isAggregated } from './aggregate.ts';
import { uncovered } from './covers.ts';
import { autoupdateAnnotation } from './default-objects.ts';
import { defaultsOf } from './shared-objects.ts';

const writing = { dryRun: false, fieldManager: 'kube-apiserver', fieldValidation: 'Strict' } as const;

/**
 * What Kubernetes does when its API server starts, here when a plane is loaded: a default object that was deleted comes
 * back, one that was changed gets back the rules, subjects, labels and annotations that it lacks, and keeps what was
 * added. The annotation `rbac.authorization.kubernetes.io/autoupdate: "false"` leaves it as it is. Never rejects: a
 * plane whose defaults cannot be written serves all the same.
 */
export async function restoreDefaults(store: KindStore, log: Log): Promise<void> {
  for (const expected of defaultsOf(store)) {
    const { name = '', namespace = '' } = expected.metadata;
    if (store.peek(namespace, name)?.stands === true) continue;
    try {
      await restore(store, expected);
    } catch (error) {
      log.warn({ error, kind: expected.kind, namespace, name }, 'a default role or binding could not be restored');
    }
  }
}

async function restore(store: KindStore, expected: KubeObject): Promise<void> {
  const { name = '', namespace = '' } = expected.metadata;
  const context = systemContext(namespace);
  const present = store.peek(namespace, name)?.object;
  if (present === undefined) {
    await store.verbs.create(context, cloneJson(expected), writing);
    return;
  }
  if (present.metadata.annotations?.[autoupdateAnnotation] === 'false') return;
  if (present.metadata.deletionTimestamp !== undefined) return;
  if (expected.roleRef !== undefined && !equalJson(roleRefOf(expected), roleRefOf(present))) {
    // A binding of that name to another role: what it gives cannot be changed, only given anew.
    const preconditions = { uid: present.metadata.uid ?? '' };
    const at = { dryRun: false, gracePeriodSeconds: 0, propagationPolicy: undefined, preconditions };
    await store.verbs.delete(context, name, at);
    await store.verbs.create(context, cloneJson(expected), writing);
    return;
  }
  const restored = withWhatItLacks(present, expected);
  if (!equalJson(restored, present)) await store.verbs.update(context, name, restored, writing);
}

function withWhatItLacks(present: KubeObject, expected: KubeObject): KubeObject {
  const restored = cloneJson(present);
  const { metadata } = restored;
  metadata.labels = { ...metadata.labels, ...expected.metadata.labels };
  metadata.annotations = { ...expected.metadata.annotations, ...metadata.annotations };
  if (expected.roleRef !== undefined) {
    add(restored, 'subjects', lackingItems(listAt(present, 'subjects'), listAt(expected, 'subjects')));
  } else if (isAggregated(expected)) {
    const selectors = (role: KubeObject) => listAt(role, 'aggregationRule', 'clusterRoleSelectors');
    const rule: JsonObject = { ...(restored.aggregationRule as JsonObject | undefined) };
    add(rule, 'clusterRoleSelectors', lackingItems(selectors(present), selectors(expected)));
    restored.aggregationRule = rule;
  } else {
    add(restored, 'rules', uncovered(rulesOf(present), rulesOf(expected)) as unknown as JsonValue[]);
  }
  return restored;
}

function lackingItems(present: readonly JsonValue[], expected: readonly JsonValue[]): readonly JsonValue[] {
  return expected.filter((item) => !present.some((other) => equalJson(item, other)));
}

function add(holder: JsonObject, member: string, items: readonly JsonValue[]): void {
  if (items.length > 0) holder[member] = [...listAt(holder, member), ...items.map((item) => cloneJson(item))];
}
