import type { JsonValue } from '@flotilla/json';
import { listAt, textAt } from '@flotilla/json';
import type { KubeObject } from '../../../api/meta.ts';

/** Pods may take half a minute to terminate, which is normal. */
const gracePeriodMs = 60_000;

/**
 * The reason why a namespace is still being deleted, as the cluster reports it, once the deletion takes long; empty
 * until then.
 */
export function stuckNamespace(namespace: KubeObject, now: number): string {
  const since = Date.parse(namespace.metadata.deletionTimestamp ?? '');
  if (Number.isNaN(since) || now - since < gracePeriodMs) return '';
  const conditions = listAt(namespace as JsonValue, 'status', 'conditions');
  const active = conditions.filter((condition) => textAt(condition, 'status') === 'True');
  return active.map((condition) => textAt(condition, 'message')).join('; ');
}
