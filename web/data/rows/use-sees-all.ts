import type { KindRef } from '../kind-ref.ts';
import { usePermission } from '../permissions.ts';

/**
 * True if the caller may see all objects of a kind, in a namespace or in all namespaces. If false, an empty list does
 * not prove that there are no objects.
 */
export function useSeesAll(kind: KindRef, namespace?: string): boolean {
  // A permission without an object name applies to every object.
  return usePermission({ verb: 'get', kind, namespace }).allowed;
}
