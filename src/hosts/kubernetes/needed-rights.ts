/** One thing that the server does on a cluster, as an access review asks for it. */
export interface NeededRight {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
}

const watched = ['get', 'list', 'watch'];
const written = ['create', 'patch', 'delete'];

function rights(group: string, resource: string, verbs: readonly string[], subresource?: string): NeededRight[] {
  return verbs.map((verb) => ({ verb, group, resource, ...(subresource === undefined ? {} : { subresource }) }));
}

/**
 * What is needed for virtual clusters to be installed, seen, reached and removed, and for callers of the gateway to be
 * impersonated. The chart's roles give rights of their own besides, which the credentials must have themselves.
 */
export const neededRights: readonly NeededRight[] = [
  ...rights('', 'namespaces', [...watched, ...written]),
  ...rights('', 'services', [...watched, ...written]),
  ...rights('', 'secrets', [...watched, ...written]),
  ...rights('', 'configmaps', written),
  ...rights('', 'serviceaccounts', written),
  ...rights('', 'pods', watched),
  // By WebSocket, which is a get; newer clusters ask for the other as well.
  ...rights('', 'pods', ['get', 'create'], 'portforward'),
  ...rights('', 'pods', ['get'], 'log'),
  ...rights('apps', 'statefulsets', [...watched, ...written]),
  ...rights('apps', 'deployments', [...watched, ...written]),
  ...rights('rbac.authorization.k8s.io', 'roles', written),
  ...rights('rbac.authorization.k8s.io', 'rolebindings', written),
  ...rights('', 'users', ['impersonate']),
  ...rights('', 'groups', ['impersonate']),
];

/** `create pods/portforward`, `patch statefulsets.apps`. */
export function describeRight({ verb, group, resource, subresource }: NeededRight): string {
  const qualified = group === '' ? resource : `${resource}.${group}`;
  return `${verb} ${qualified}${subresource === undefined ? '' : `/${subresource}`}`;
}
