import type { JsonObject } from '@flotilla/json';
import { apiVersionOf, type KubeObject } from '../../api/meta.ts';
import type { AdmissionAttributes } from '../plane-part.ts';

/**
 * Returns the CEL variable `request` (an AdmissionRequest of admission.k8s.io/v1). `version` is the version in which
 * the policy matches the resource.
 */
export function admissionRequest(
  { resource, operation, subresource, draft, context, dryRun }: AdmissionAttributes,
  version: string,
): JsonObject {
  const { group, kind, plural } = resource;
  const { name, groups, uid, extra } = context.user;
  const { metadata } = draft.object;
  const namespace = namespaceOfWrite({ resource, draft, context });
  return {
    kind: { group, version, kind },
    resource: { group, version, resource: plural },
    requestKind: { group, version: resource.version, kind },
    requestResource: { group, version: resource.version, resource: plural },
    ...(subresource === '' ? {} : { subResource: subresource, requestSubResource: subresource }),
    name: metadata.name ?? '',
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: {
      username: name,
      groups: [...groups],
      ...(uid === undefined ? {} : { uid }),
      ...(extra === undefined
        ? {}
        : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
    },
    dryRun,
    options: { apiVersion: 'meta.k8s.io/v1', kind: OPTIONS[operation] },
  };
}

const OPTIONS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;

/** Returns the namespace of the written object. A Namespace object counts as being in the namespace that it defines. */
export function namespaceOfWrite({
  resource,
  draft,
  context,
}: Pick<AdmissionAttributes, 'resource' | 'draft' | 'context'>): string {
  if (resource.namespaced) return draft.object.metadata.namespace ?? context.namespace;
  return isNamespaceResource(resource) ? (draft.object.metadata.name ?? '') : '';
}

export function isNamespaceResource({ group, plural }: AdmissionAttributes['resource']): boolean {
  return group === '' && plural === 'namespaces';
}

/** Returns the object with the apiVersion in which the policy matches its kind. */
export function withApiVersion(
  object: KubeObject,
  { group, kind }: AdmissionAttributes['resource'],
  version: string,
): KubeObject {
  return { ...object, apiVersion: apiVersionOf({ group, version }), kind };
}
