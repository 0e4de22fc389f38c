import { validatingAdmissionPolicy, validatingAdmissionPolicyBinding } from './admission-structs.ts';
import { customResourceDefinition } from './apiextensions-structs.ts';
import { scale } from './autoscaling-structs.ts';
import { configMap, lease, namespace, resourceQuota, secret, serviceAccount } from './core-structs.ts';
import { coreEvent, eventsGroupEvent } from './event-structs.ts';
import { alwaysPrintedList, defineStruct, type GoStruct, valueField } from './go-struct.ts';
import { kubernetesStructs } from './kubernetes-structs.ts';
import { deleteOptions, listMeta, objectMeta, status } from './meta-structs.ts';
import { clusterRole, clusterRoleBinding, role, roleBinding } from './rbac-structs.ts';
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectReview,
  selfSubjectRulesReview,
  subjectAccessReview,
  tokenRequest,
  tokenReview,
} from './review-structs.ts';

/** The Go structs of kinds that also have a list kind, by API version and kind. */
const listed: Readonly<Record<string, Readonly<Record<string, GoStruct>>>> = {
  v1: {
    ConfigMap: configMap,
    Event: coreEvent,
    Namespace: namespace,
    ResourceQuota: resourceQuota,
    Secret: secret,
    ServiceAccount: serviceAccount,
  },
  'admissionregistration.k8s.io/v1': {
    ValidatingAdmissionPolicy: validatingAdmissionPolicy,
    ValidatingAdmissionPolicyBinding: validatingAdmissionPolicyBinding,
  },
  'apiextensions.k8s.io/v1': { CustomResourceDefinition: customResourceDefinition },
  'coordination.k8s.io/v1': { Lease: lease },
  'events.k8s.io/v1': { Event: eventsGroupEvent },
  'rbac.authorization.k8s.io/v1': {
    ClusterRole: clusterRole,
    ClusterRoleBinding: clusterRoleBinding,
    Role: role,
    RoleBinding: roleBinding,
  },
};

const single: Readonly<Record<string, Readonly<Record<string, GoStruct>>>> = {
  v1: { Status: status },
  'authentication.k8s.io/v1': {
    SelfSubjectReview: selfSubjectReview,
    TokenRequest: tokenRequest,
    TokenReview: tokenReview,
  },
  'authorization.k8s.io/v1': {
    LocalSubjectAccessReview: localSubjectAccessReview,
    SelfSubjectAccessReview: selfSubjectAccessReview,
    SelfSubjectRulesReview: selfSubjectRulesReview,
    SubjectAccessReview: subjectAccessReview,
  },
  'autoscaling/v1': { Scale: scale },
};

function listOf(item: GoStruct): GoStruct {
  return defineStruct(`${item.name}List`, { metadata: valueField(1, listMeta), items: alwaysPrintedList(2, item) });
}

const structs = new Map<string, GoStruct>();
for (const [apiVersion, kinds] of Object.entries(single)) {
  for (const [kind, its] of Object.entries(kinds)) structs.set(`${apiVersion}/${kind}`, its);
}
for (const [apiVersion, kinds] of Object.entries(listed)) {
  for (const [kind, its] of Object.entries(kinds)) {
    structs.set(`${apiVersion}/${kind}`, its);
    structs.set(`${apiVersion}/${kind}List`, listOf(its));
  }
}

const partialObjectMetadata = defineStruct('io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata', {
  metadata: valueField(1, objectMeta),
});

/**
 * The Go structs of partial metadata by API version and kind. The server only sends these kinds and never receives
 * them. `goStructOf` does not return these structs, because a custom resource may have the same API version and kind.
 */
export const partialMetadataStructs: ReadonlyMap<string, GoStruct> = new Map([
  ['meta.k8s.io/v1/PartialObjectMetadata', partialObjectMetadata],
  ['meta.k8s.io/v1/PartialObjectMetadataList', listOf(partialObjectMetadata)],
  ['meta.k8s.io/v1beta1/PartialObjectMetadata', partialObjectMetadata],
  [
    'meta.k8s.io/v1beta1/PartialObjectMetadataList',
    defineStruct('io.k8s.apimachinery.pkg.apis.meta.v1beta1.PartialObjectMetadataList', {
      items: alwaysPrintedList(1, partialObjectMetadata),
      metadata: valueField(2, listMeta),
    }),
  ],
]);

/**
 * Returns the Go struct of a built-in kind or its list kind; `undefined` if it has none. DeleteOptions are accepted in
 * every API version. Call this function only for built-in kinds: because not all planes serve all built-in kinds, a
 * custom resource may have the same API version and kind as a struct.
 */
export function goStructOf(apiVersion: string, kind: string): GoStruct | undefined {
  if (kind === 'DeleteOptions') return deleteOptions;
  const key = `${apiVersion}/${kind}`;
  const known = structs.get(key);
  if (known !== undefined) return known;
  const made = generatedStruct(apiVersion, kind);
  if (made !== undefined) structs.set(key, made);
  return made;
}

function generatedStruct(apiVersion: string, kind: string): GoStruct | undefined {
  const name = kubernetesStructs.kindName(apiVersion, kind);
  if (name !== undefined) return kubernetesStructs.structOf(name);
  const item = kind.endsWith('List') ? kubernetesStructs.kindName(apiVersion, kind.slice(0, -4)) : undefined;
  const struct = item === undefined ? undefined : kubernetesStructs.structOf(item);
  return struct === undefined ? undefined : listOf(struct);
}
