import type { KubeObject } from '../../../../../api/meta.ts';
import type { ResourceKind } from '../../../../../api/resource.ts';
import type { Schema } from '../../../../../api/schema/schema.ts';
import { kubernetesSchemas } from '../../../../../api/structs/kubernetes-structs.ts';
import type { OwnedKind } from '../../../../../registry/tracked-kind.ts';
import type { ServedObject } from '../../../../../registry/verbs.ts';

/**
 * Returns the kind of a subresource's request bodies, which are never stored. The schema is built when it is first
 * used.
 */
function requestKind(struct: string, group: string, description: string): OwnedKind {
  const kind = struct.slice(struct.indexOf('.') + 1);
  let schema: Schema | undefined;
  return {
    group,
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    singular: kind.toLowerCase(),
    namespaced: true,
    builtIn: true,
    hasStatus: false,
    description,
    get schema() {
      schema ??= kubernetesSchemas.kindSchema(struct);
      return schema;
    },
  };
}

export const bindingKind = requestKind('core.Binding', '', 'A request to assign a pod to a node.');
export const evictionKind = requestKind('policy.Eviction', 'policy', 'A request to remove a pod from its node.');

/**
 * Returns the kind of the options of a connection. The kind has no members, because the options are in the query of the
 * request.
 */
export function connectionKind(kind: string): ResourceKind {
  return {
    group: '',
    version: 'v1',
    kind,
    plural: kind.toLowerCase(),
    singular: '',
    namespaced: true,
    description: 'The options of a connection to a pod.',
    schema: { type: 'object' },
  };
}

/** Returns the response to a successful request that has no object. */
export function successStatus(): ServedObject {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  return { object: status as unknown as KubeObject, json: () => JSON.stringify(status) };
}
