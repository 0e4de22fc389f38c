/** A permission that the server needs on a connected cluster. The fields are those of a SelfSubjectAccessReview. */
export interface RequiredPermission {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
}

const readVerbs = ['get', 'list', 'watch'];
const writeVerbs = ['create', 'patch', 'delete'];

function permissions(
  group: string,
  resource: string,
  verbs: readonly string[],
  subresource?: string,
): RequiredPermission[] {
  return verbs.map((verb) => ({ verb, group, resource, ...(subresource === undefined ? {} : { subresource }) }));
}

/**
 * The permissions that the server needs on a connected cluster to install, observe, reach and remove virtual clusters
 * and to impersonate callers of the gateway. In addition, the server's credentials must have all permissions that the
 * roles in the chart grant.
 */
export const requiredPermissions: readonly RequiredPermission[] = [
  ...permissions('', 'namespaces', [...readVerbs, ...writeVerbs]),
  ...permissions('', 'services', [...readVerbs, ...writeVerbs]),
  ...permissions('', 'secrets', [...readVerbs, ...writeVerbs]),
  ...permissions('', 'configmaps', writeVerbs),
  ...permissions('', 'serviceaccounts', writeVerbs),
  ...permissions('', 'pods', readVerbs),
  // Port forwarding over a WebSocket is a GET request. Newer Kubernetes versions also require `create`.
  ...permissions('', 'pods', ['get', 'create'], 'portforward'),
  ...permissions('', 'pods', ['get'], 'log'),
  ...permissions('apps', 'statefulsets', [...readVerbs, ...writeVerbs]),
  ...permissions('apps', 'deployments', [...readVerbs, ...writeVerbs]),
  ...permissions('rbac.authorization.k8s.io', 'roles', writeVerbs),
  ...permissions('rbac.authorization.k8s.io', 'rolebindings', writeVerbs),
  ...permissions('', 'users', ['impersonate']),
  ...permissions('', 'groups', ['impersonate']),
];

/** The permissions that the server needs on a connected cluster to find and import virtual clusters, and to reach them. */
export const readOnlyPermissions: readonly RequiredPermission[] = [
  ...permissions('', 'namespaces', readVerbs),
  ...permissions('', 'services', readVerbs),
  ...permissions('', 'secrets', readVerbs),
  ...permissions('', 'pods', readVerbs),
  ...permissions('', 'pods', ['get', 'create'], 'portforward'),
  ...permissions('', 'pods', ['get'], 'log'),
  ...permissions('apps', 'statefulsets', readVerbs),
  ...permissions('apps', 'deployments', readVerbs),
];

/** Returns a permission as text, for example `create pods/portforward` or `patch statefulsets.apps`. */
export function describePermission({ verb, group, resource, subresource }: RequiredPermission): string {
  const qualified = group === '' ? resource : `${resource}.${group}`;
  return `${verb} ${qualified}${subresource === undefined ? '' : `/${subresource}`}`;
}
