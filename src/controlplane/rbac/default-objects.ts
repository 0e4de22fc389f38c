import { deepFreeze, type JsonValue } from '@flotilla/json';
import { defaultVirtualClusterRole } from '../../api/management/virtual-cluster-roles.ts';
import type { KubeObject } from '../../api/meta.ts';
import { kubernetesAuthenticatedGroup, kubernetesMastersGroup } from '../../api/naming.ts';
import { clusterRoleKind } from '../../api/rbac/cluster-role.ts';
import { clusterRoleBindingKind } from '../../api/rbac/cluster-role-binding.ts';
import { type PolicyRule, rbacGroup } from '../../api/rbac/policy-rule.ts';
import { roleKind } from '../../api/rbac/role.ts';
import { virtualClusterRoleBinding } from '../../api/rbac/virtual-cluster-role-binding.ts';
import { aggregatedRules } from './aggregated-rules.ts';
import { adminRules, editRules, readVerbs, resourceRule, viewRules } from './namespace-role-rules.ts';

/** If this annotation of a default role or binding is `"false"`, the server does not restore the object. */
export const autoupdateAnnotation = 'rbac.authorization.kubernetes.io/autoupdate';

const defaultsLabel = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };

let defaultObjects: readonly KubeObject[] | undefined;
let builtinObjects: readonly KubeObject[] | undefined;

/**
 * Returns the RBAC objects that every plane has: Kubernetes' default objects, and the binding of the default role of
 * virtual clusters. Nearly every virtual cluster needs this binding. It is safe in all planes, because it grants the
 * role only to a group to which only the gateway adds callers. All planes of the process share the list.
 */
export function builtinRbacObjects(): readonly KubeObject[] {
  builtinObjects ??= [
    ...defaultRbacObjects(),
    deepFreeze(virtualClusterRoleBinding(defaultVirtualClusterRole) as JsonValue) as KubeObject,
  ];
  return builtinObjects;
}

/**
 * Returns the default roles and bindings of Kubernetes. Roles of components that planes do not have are omitted: nodes,
 * scheduler, kube-proxy, DNS, volumes, certificate requests, and the controllers of kube-controller-manager. All planes
 * of the process share the list.
 */
export function defaultRbacObjects(): readonly KubeObject[] {
  defaultObjects ??= deepFreeze([
    ...clusterRoles(),
    ...clusterRoleBindings(),
    ...systemRoles(),
  ] as JsonValue[]) as KubeObject[];
  return defaultObjects;
}

function clusterRoles(): KubeObject[] {
  const parts = [
    clusterRole('system:aggregate-to-admin', adminRules(), aggregateTo('admin')),
    clusterRole('system:aggregate-to-edit', editRules(), aggregateTo('edit')),
    clusterRole('system:aggregate-to-view', viewRules(), aggregateTo('view')),
  ];
  const view = aggregated('view', parts, aggregateTo('edit'));
  const edit = aggregated('edit', [...parts, view], aggregateTo('admin'));
  const admin = aggregated('admin', [...parts, view, edit]);
  return [admin, edit, view, ...parts, ...plainClusterRoles()];
}

function plainClusterRoles(): KubeObject[] {
  return [
    clusterRole('cluster-admin', [resourceRule(['*'], ['*'], '*'), toPaths(['*'], '*')]),
    clusterRole('system:auth-delegator', [
      resourceRule(['create'], ['authentication.k8s.io'], 'tokenreviews'),
      resourceRule(['create'], ['authorization.k8s.io'], 'subjectaccessreviews'),
    ]),
    clusterRole('system:basic-user', [
      resourceRule(['create'], ['authorization.k8s.io'], 'selfsubjectaccessreviews selfsubjectrulesreviews'),
      resourceRule(['create'], ['authentication.k8s.io'], 'selfsubjectreviews'),
    ]),
    clusterRole('system:discovery', [
      toPaths(['get'], '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/'),
    ]),
    clusterRole('system:monitoring', [
      toPaths(['get'], '/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz'),
      resourceRule(['get'], [''], 'nodes/metrics'),
    ]),
    clusterRole('system:public-info-viewer', [toPaths(['get'], '/healthz /livez /readyz /version /version/')]),
    clusterRole('system:service-account-issuer-discovery', [
      toPaths(
        ['get'],
        '/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/',
      ),
    ]),
  ];
}

function clusterRoleBindings(): KubeObject[] {
  return [
    binding('cluster-admin', kubernetesMastersGroup),
    binding('system:basic-user', kubernetesAuthenticatedGroup),
    binding('system:discovery', kubernetesAuthenticatedGroup),
    binding('system:monitoring', 'system:monitoring'),
    binding('system:public-info-viewer', kubernetesAuthenticatedGroup, 'system:unauthenticated'),
    binding('system:service-account-issuer-discovery', 'system:serviceaccounts'),
  ];
}

/**
 * Returns the role that extension API servers need. Its role binding is created when an extension API server is
 * installed.
 */
function systemRoles(): KubeObject[] {
  const rule = resourceRule(readVerbs, [''], 'configmaps');
  const rules = [{ ...rule, resourceNames: ['extension-apiserver-authentication'] }];
  const metadata = metadataOf('extension-apiserver-authentication-reader');
  return [
    defaultObject(roleKind.kind, { ...metadata, namespace: 'kube-system' }, { rules: rules as unknown as JsonValue }),
  ];
}

function clusterRole(name: string, rules: readonly PolicyRule[], labels = {}): KubeObject {
  return defaultObject(clusterRoleKind.kind, metadataOf(name, labels), { rules: rules as unknown as JsonValue });
}

function aggregated(name: string, sources: readonly KubeObject[], labels = {}): KubeObject {
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: aggregateTo(name) }] };
  const metadata = metadataOf(name, labels);
  const rules = aggregatedRules(defaultObject(clusterRoleKind.kind, metadata, { aggregationRule }), sources);
  return defaultObject(clusterRoleKind.kind, metadata, { rules: rules as unknown as JsonValue, aggregationRule });
}

function aggregateTo(role: string): Record<string, string> {
  return { [`${rbacGroup}/aggregate-to-${role}`]: 'true' };
}

function binding(role: string, ...groups: string[]): KubeObject {
  return defaultObject(clusterRoleBindingKind.kind, metadataOf(role), {
    subjects: groups.map((name) => ({ kind: 'Group', apiGroup: rbacGroup, name })),
    roleRef: { apiGroup: rbacGroup, kind: clusterRoleKind.kind, name: role },
  });
}

function metadataOf(name: string, labels = {}): KubeObject['metadata'] {
  return { name, labels: { ...defaultsLabel, ...labels }, annotations: { [autoupdateAnnotation]: 'true' } };
}

function defaultObject(kind: string, metadata: KubeObject['metadata'], members: Record<string, JsonValue>): KubeObject {
  return { kind, apiVersion: `${rbacGroup}/v1`, metadata, ...members } as KubeObject;
}

function toPaths(verbs: string[], paths: string): PolicyRule {
  return { verbs, nonResourceURLs: paths.split(' ') };
}
