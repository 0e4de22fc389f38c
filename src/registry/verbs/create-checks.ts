import type { ObjectMeta } from '../../api/meta.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { forbidden, notFound, type StatusError } from '../../api/status.ts';
import type { RevisionCheck } from '../../store/store.ts';
import type { RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';

/**
 * Throws 403 if the caller may not create the object. Called for an update or apply that creates an object, which needs
 * the permission to create in addition to that for its own verb (UPDATE-08, PATCH-25).
 */
export async function requireCreatePermission(kind: KindRuntime, context: RequestContext, name: string): Promise<void> {
  const { group, plural } = kind.resource;
  const { namespace, user } = context;
  if (await context.may({ verb: 'create', group, resource: plural, namespace, name })) return;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  throw forbidden(
    groupResourceOf(kind.resource),
    name,
    `User "${user.name}" cannot create resource "${plural}" in API group "${group}" ${where}`,
  );
}

/**
 * Throws 404 if the namespace does not exist, and 403 if it is terminating (CREATE-19, CREATE-20, CREATE-21). Returns a
 * check for the transaction that creates the object, which fails if the deletion of the namespace starts meanwhile.
 */
export function requireActiveNamespace(
  kind: KindRuntime,
  namespace: string,
  metadata: ObjectMeta,
): RevisionCheck | undefined {
  if (!kind.resource.namespaced) return undefined;
  const state = kind.planeCallbacks.namespaceState(namespace);
  if (state === 'active') return kind.planeCallbacks.namespaceCheck?.(namespace);
  throw state === 'missing'
    ? notFound({ group: '', resource: 'namespaces' }, namespace)
    : namespaceTerminating(kind, namespace, metadata);
}

function namespaceTerminating(kind: KindRuntime, namespace: string, metadata: ObjectMeta): StatusError {
  return forbidden(
    groupResourceOf(kind.resource),
    metadata.name || metadata.generateName || 'Unknown',
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  );
}
