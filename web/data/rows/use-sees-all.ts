import type { KindRef } from '../kind-ref.ts';
import { usePermission } from '../permissions.ts';

/**
 * True if the caller may see all objects of a kind in a namespace, or in all namespaces. Otherwise a list contains only
 * some of the objects, so an empty one does not mean that there are none.
 */
export function useSeesAll(kind: KindRef, namespace?: string): boolean {
  // The permission without a name is the permission on every object.
  return usePermission({ verb: 'get', kind, namespace }).allowed;
}
