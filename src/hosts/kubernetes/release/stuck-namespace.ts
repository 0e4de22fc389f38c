import { type JsonValue, listAt, textAt } from '@flotilla/json';
import type { KubeObject } from '../../../api/meta.ts';

/** A deletion that takes less than this time is normal, because pods may take half a minute to terminate. */
const gracePeriodMs = 60_000;

/**
 * Returns the reason why the deletion of a namespace takes longer than a minute, from the conditions of the namespace.
 * Empty if the deletion started less than a minute ago.
 */
export function stuckNamespace(namespace: KubeObject, now: number): string {
  const since = Date.parse(namespace.metadata.deletionTimestamp ?? '');
  if (Number.isNaN(since) || now - since < gracePeriodMs) return '';
  const conditions = listAt(namespace as JsonValue, 'status', 'conditions');
  const active = conditions.filter((condition) => textAt(condition, 'status') === 'True');
  return active.map((condition) => textAt(condition, 'message')).join('; ');
}
