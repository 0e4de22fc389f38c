import { cloneJson, equalJson, type JsonObject, type JsonValue, listAt } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import { roleRefOf } from '../../api/rbac/binding.ts';
import { rulesOf } from '../../api/rbac/policy-rule.ts';
import { StatusError } from '../../api/status.ts';
import type { Log } from '../../lib/log.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { RevisionCheck } from '../../store/store.ts';
import { systemContext } from '../system-context.ts';
import { isAggregatedRole } from './aggregated-rules.ts';
import { autoupdateAnnotation } from './default-objects.ts';
import { defaultRbacObjectsOf } from './shared-objects.ts';
import { uncoveredPermissions } from './uncovered-permissions.ts';

const writing = { dryRun: false, fieldManager: 'kube-apiserver', fieldValidation: 'Strict' } as const;

/**
 * Restores the default RBAC objects when a plane is loaded, as kube-apiserver does when it starts. Deleted objects are
 * created again. Changed objects get missing rules, subjects, labels and annotations back; additions stay. The
 * annotation `rbac.authorization.kubernetes.io/autoupdate: "false"` prevents this. Rejects only in a maintenance task,
 * which passes its `fence` (`RequestContext.fence`); otherwise the plane must be served even if the
 * defaults cannot be written.
 */
export async function restoreDefaultRbacObjects(store: KindStore, log: Log, fence?: RevisionCheck): Promise<void> {
  for (const { expected, action } of restorationsOf(store)) {
    const { name = '', namespace = '' } = expected.metadata;
    try {
      await restore(store, expected, action, fence);
    } catch (error) {
      // Skip the object: another process has restored or changed it at the same time.
      if (error instanceof StatusError && [404, 409].includes(error.code)) continue;
      if (fence !== undefined) throw error;
      log.warn({ error, kind: expected.kind, namespace, name }, 'failed to restore a default role or binding');
    }
  }
}

/** True if a default object is missing or incomplete. */
export function lacksDefaultRbacObjects(store: KindStore): boolean {
  const [first] = restorationsOf(store);
  return first !== undefined;
}

/** A write that restores a default object. */
type RestoreAction =
  | { readonly type: 'create' }
  | { readonly type: 'replace'; readonly uid: string }
  | { readonly type: 'update'; readonly restored: KubeObject };

/** Iterates over the default objects that must be restored. */
function* restorationsOf(store: KindStore): Generator<{ expected: KubeObject; action: RestoreAction }> {
  for (const expected of defaultRbacObjectsOf(store)) {
    const { name = '', namespace = '' } = expected.metadata;
    const served = store.peek(namespace, name);
    if (served?.isUnchangedBuiltin === true) continue;
    const action = restoreAction(served?.object, expected);
    if (action !== undefined) yield { expected, action };
  }
}

function restoreAction(present: KubeObject | undefined, expected: KubeObject): RestoreAction | undefined {
  if (present === undefined) return { type: 'create' };
  if (present.metadata.annotations?.[autoupdateAnnotation] === 'false') return undefined;
  if (present.metadata.deletionTimestamp !== undefined) return undefined;
  if (expected.roleRef !== undefined && !equalJson(roleRefOf(expected), roleRefOf(present))) {
    return { type: 'replace', uid: present.metadata.uid ?? '' };
  }
  const restored = withMissingParts(present, expected);
  return equalJson(restored, present) ? undefined : { type: 'update', restored };
}

async function restore(
  store: KindStore,
  expected: KubeObject,
  action: RestoreAction,
  fence: RevisionCheck | undefined,
): Promise<void> {
  const { name = '', namespace = '' } = expected.metadata;
  const context = systemContext(namespace, undefined, fence);
  if (action.type === 'update') {
    await store.verbs.update(context, name, action.restored, writing);
    return;
  }
  if (action.type === 'replace') {
    // The stored binding refers to a role other than the default one. A roleRef is immutable, so the binding is deleted
    // and created again.
    const preconditions = { uid: action.uid };
    const options = { dryRun: false, gracePeriodSeconds: 0, propagationPolicy: undefined, preconditions };
    await store.verbs.delete(context, name, options);
  }
  await store.verbs.create(context, cloneJson(expected), writing);
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
