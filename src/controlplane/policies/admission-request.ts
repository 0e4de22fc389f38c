import type { JsonObject } from '@flotilla/json';
import { apiVersionOf, type KubeObject } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { AdmissionAttributes } from '../plane-part.ts';

/**
 * Returns the CEL variable `request` (an AdmissionRequest of admission.k8s.io/v1). `version` is the version in which
 * the policy matches the resource.
 */
export function admissionRequest(
  {
    resource,
    requestKind,
    operation,
    subresource,
    draft,
    context,
    dryRun,
  }: Omit<AdmissionAttributes, 'onCompleted' | 'addGuard'>,
  version: string,
): JsonObject {
  const { group, plural } = resource;
  const { name, groups, uid, extra } = context.user;
  const { metadata } = draft.object;
  const namespace = namespaceOfWrite({ resource, draft, context });
  return {
    kind: groupVersionKind(requestKind ?? { ...resource, version }),
    resource: { group, version, resource: plural },
    requestKind: groupVersionKind(requestKind ?? resource),
    requestResource: { group, version: resource.version, resource: plural },
    ...(subresource === '' ? {} : { subResource: subresource, requestSubResource: subresource }),
    ...((metadata.name ?? '') === '' ? {} : { name: metadata.name ?? '' }),
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

function groupVersionKind({ group, version, kind }: Pick<ResourceKind, 'group' | 'version' | 'kind'>): JsonObject {
  return { group, version, kind };
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

/** Returns the object in the version in which the policy matches its kind. */
export function withApiVersion(
  object: KubeObject,
  { resource, requestKind }: Pick<AdmissionAttributes, 'resource' | 'requestKind'>,
  version: string,
): KubeObject {
  if (requestKind !== undefined) return { ...object, apiVersion: apiVersionOf(requestKind), kind: requestKind.kind };
  const { group, kind, versions } = resource;
  const seen = versions === undefined ? object : versions.convert(object, version);
  return { ...seen, apiVersion: apiVersionOf({ group, version }), kind };
}
