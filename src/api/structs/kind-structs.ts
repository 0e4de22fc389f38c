import { validatingAdmissionPolicy, validatingAdmissionPolicyBinding } from './admission-structs.ts';
import { customResourceDefinition } from './apiextensions-structs.ts';
import { scale } from './autoscaling-structs.ts';
import { configMap, lease, namespace, resourceQuota, secret, serviceAccount } from './core-structs.ts';
import { coreEvent, eventsGroupEvent } from './event-structs.ts';
import { alwaysPrintedList, defineStruct, type GoStruct, valueField } from './go-struct.ts';
import { deleteOptions, listMeta, status } from './meta-structs.ts';
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

/** Returns the Go struct of a kind. `undefined` if it has none. DeleteOptions are accepted in every API version. */
export function goStructOf(apiVersion: string, kind: string): GoStruct | undefined {
  return kind === 'DeleteOptions' ? deleteOptions : structs.get(`${apiVersion}/${kind}`);
}
