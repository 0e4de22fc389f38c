import { cloneJson, equalJson, type JsonObject, type JsonValue, listAt } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import { roleRefOf } from '../../api/rbac/binding.ts';
import { rulesOf } from '../../api/rbac/policy-rule.ts';
import type { Log } from '../../lib/log.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { systemContext } from '../system-context.ts';
import { isAggregatedRole } from './aggregated-rules.ts';
import { autoupdateAnnotation } from './default-objects.ts';
import { defaultRbacObjectsOf } from './shared-objects.ts';
import { uncoveredPermissions } from './uncovered-permissions.ts';

const writing = { dryRun: false, fieldManager: 'kube-apiserver', fieldValidation: 'Strict' } as const;

/**
 * Restores the default RBAC objects when a plane is loaded, as kube-apiserver does when it starts. Deleted objects are
 * created again. Changed objects get missing rules, subjects, labels and annotations back; additions stay. The
 * annotation `rbac.authorization.kubernetes.io/autoupdate: "false"` prevents this. Never rejects, because the plane
 * shall serve even if the defaults cannot be written.
 */
export async function restoreDefaultRbacObjects(store: KindStore, log: Log): Promise<void> {
  for (const expected of defaultRbacObjectsOf(store)) {
    const { name = '', namespace = '' } = expected.metadata;
    if (store.peek(namespace, name)?.isUnchangedBuiltin === true) continue;
    try {
      await restore(store, expected);
    } catch (error) {
      log.warn({ error, kind: expected.kind, namespace, name }, 'failed to restore a default role or binding');
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
    // The binding refers to another role. A roleRef is immutable, so the binding is deleted and created again.
    const preconditions = { uid: present.metadata.uid ?? '' };
    const options = { dryRun: false, gracePeriodSeconds: 0, propagationPolicy: undefined, preconditions };
    await store.verbs.delete(context, name, options);
    await store.verbs.create(context, cloneJson(expected), writing);
    return;
  }
  const restored = withMissingParts(present, expected);
  if (!equalJson(restored, present)) await store.verbs.update(context, name, restored, writing);
}

function withMissingParts(present: KubeObject, expected: KubeObject): KubeObject {
  const restored = cloneJson(present);
  const { metadata } = restored;
  metadata.labels = { ...metadata.labels, ...expected.metadata.labels };
  metadata.annotations = { ...expected.metadata.annotations, ...metadata.annotations };
  if (expected.roleRef !== undefined) {
    add(restored, 'subjects', missingItems(listAt(present, 'subjects'), listAt(expected, 'subjects')));
  } else if (isAggregatedRole(expected)) {
    const selectors = (role: KubeObject) => listAt(role, 'aggregationRule', 'clusterRoleSelectors');
    const rule: JsonObject = { ...(restored.aggregationRule as JsonObject | undefined) };
    add(rule, 'clusterRoleSelectors', missingItems(selectors(present), selectors(expected)));
    restored.aggregationRule = rule;
  } else {
    add(restored, 'rules', uncoveredPermissions(rulesOf(present), rulesOf(expected)) as unknown as JsonValue[]);
  }
  return restored;
}

function missingItems(present: readonly JsonValue[], expected: readonly JsonValue[]): readonly JsonValue[] {
  return expected.filter((item) => !present.some((other) => equalJson(item, other)));
}

function add(holder: JsonObject, member: string, items: readonly JsonValue[]): void {
  if (items.length > 0) holder[member] = [...listAt(holder, member), ...items.map((item) => cloneJson(item))];
}
