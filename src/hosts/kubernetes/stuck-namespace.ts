import type { KubeObject } from '../../api/meta.ts';
import { listAt, textAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';

/** Pods may take half a minute to end, and are no reason to worry. */
const patienceMilliseconds = 60_000;

/** Why a namespace that is being deleted is still there, in the cluster's own words, once it takes long; '' until then. */
export function stuckNamespace(namespace: KubeObject, now: number): string {
  const since = Date.parse(namespace.metadata.deletionTimestamp ?? '');
  if (Number.isNaN(since) || now - since < patienceMilliseconds) return '';
  const conditions = listAt(namespace as JsonValue, 'status', 'conditions');
  const told = conditions.filter((condition) => textAt(condition, 'status') === 'True');
  return told.map((condition) => textAt(condition, 'message')).join('; ');
}
