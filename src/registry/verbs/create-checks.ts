import { denialMessage } from '../../api/denial-message.ts';
import type { ObjectMeta } from '../../api/meta.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { forbidden, notFound, type StatusError } from '../../api/status.ts';
import type { RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import type { RequiredCheck } from '../write/required-check.ts';

const noChecks: readonly RequiredCheck[] = [];

/**
 * Throws 403 if the caller may not create the object. Called for an update or apply that creates an object. Such a
 * request needs the permission to create in addition to the permission for its own verb (UPDATE-08, PATCH-25).
 */
export async function requireCreatePermission(kind: KindRuntime, context: RequestContext, name: string): Promise<void> {
  const { group, plural } = kind.resource;
  const { namespace, user } = context;
  const create = { verb: 'create', group, resource: plural, subresource: '', namespace };
  if (await context.may({ ...create, name })) return;
  throw forbidden(groupResourceOf(kind.resource), name, denialMessage(user.name, { resourceRequest: true, ...create }));
}

/**
 * Throws an API error if no object can be created at present in this namespace or of this kind. Returns checks for the
 * transaction that creates the object. The checks fail if creating becomes impossible in the meantime.
 */
export function requireCreatable(kind: KindRuntime, namespace: string, metadata: ObjectMeta): readonly RequiredCheck[] {
  const checks = requireActiveNamespace(kind, namespace, metadata);
  const { requiredToCreate } = kind.resource;
  return requiredToCreate === undefined ? checks : [...checks, ...requiredToCreate(metadata.name ?? '')];
}

/**
 * Throws 404 if the namespace does not exist, and 403 if it is terminating (CREATE-19, CREATE-20, CREATE-21). Returns
 * checks for the transaction that creates the object. They fail if the deletion of the namespace starts in the
 * meantime.
 */
function requireActiveNamespace(kind: KindRuntime, namespace: string, metadata: ObjectMeta): readonly RequiredCheck[] {
  if (!kind.resource.namespaced) return noChecks;
  const state = kind.planeCallbacks.namespaceState(namespace);
  if (state === 'active') {
    const check = kind.planeCallbacks.namespaceCheck?.(namespace);
    return check === undefined ? noChecks : [check];
  }
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
