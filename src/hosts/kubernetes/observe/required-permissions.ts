/** One permission that the server needs on a cluster, in the form of an access review. */
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
 * The permissions for installing, observing, reaching and removing virtual clusters and for impersonating callers of
 * the gateway. The chart's roles grant further permissions, which the credentials must have themselves.
 */
export const requiredPermissions: readonly RequiredPermission[] = [
  ...permissions('', 'namespaces', [...readVerbs, ...writeVerbs]),
  ...permissions('', 'services', [...readVerbs, ...writeVerbs]),
  ...permissions('', 'secrets', [...readVerbs, ...writeVerbs]),
  ...permissions('', 'configmaps', writeVerbs),
  ...permissions('', 'serviceaccounts', writeVerbs),
  ...permissions('', 'pods', readVerbs),
  // Over WebSocket the request is a get; newer clusters also require create.
  ...permissions('', 'pods', ['get', 'create'], 'portforward'),
  ...permissions('', 'pods', ['get'], 'log'),
  ...permissions('apps', 'statefulsets', [...readVerbs, ...writeVerbs]),
  ...permissions('apps', 'deployments', [...readVerbs, ...writeVerbs]),
  ...permissions('rbac.authorization.k8s.io', 'roles', writeVerbs),
  ...permissions('rbac.authorization.k8s.io', 'rolebindings', writeVerbs),
  ...permissions('', 'users', ['impersonate']),
  ...permissions('', 'groups', ['impersonate']),
];

/** `create pods/portforward`, `patch statefulsets.apps`. */
export function describePermission({ verb, group, resource, subresource }: RequiredPermission): string {
  const qualified = group === '' ? resource : `${resource}.${group}`;
  return `${verb} ${qualified}${subresource === undefined ? '' : `/${subresource}`}`;
}
