import { controllersUser, kubernetesAuthenticatedGroup, kubernetesMastersGroup } from '../api/naming.ts';
import { forbiddenPath } from '../api/status.ts';
import type { UserInfo } from '../api/user-info.ts';
import type { ApiRequest, ClusterApi } from '../hosts/host.ts';
import type { HostConnection } from '../hosts/kubernetes/reach/host-connection.ts';
import { pathSegments, rawPath } from '../http/request/path-segments.ts';

/** The user of requests that the control server sends for itself. On a built-in cluster it has all permissions. */
export const controlServerUser: UserInfo = {
  name: controllersUser,
  groups: [kubernetesMastersGroup, kubernetesAuthenticatedGroup],
};

export interface ClusterAccountOptions {
  readonly connection: Pick<HostConnection, 'own' | 'api'>;
  /** True if the agent permits only the requests that imported virtual clusters need. */
  readonly readOnly: boolean;
}

/**
 * Returns the API of an agent's cluster. Requests of the control server itself run with the agent's account, so the
 * permissions of that account limit them. All other requests impersonate their user.
 */
export function clusterAccountApi({ connection, readOnly }: ClusterAccountOptions): Required<ClusterApi> {
  const { own, api } = connection;
  // Compares the object identity. Only a request of the control server without impersonation has this object as its
  // user.
  const isOwn = ({ as }: Pick<ApiRequest, 'as'>) => as === controlServerUser;
  const check = (request: Omit<ApiRequest, 'body'>, isUpgrade: boolean) => {
    if (readOnly && !isReadOnlyRequest(request, isUpgrade)) throw refusal();
  };
  return {
    async send(request) {
      check(request, false);
      return await (isOwn(request) ? own.send(request) : api.send(request));
    },
    async upgrade(request) {
      check(request, true);
      return await (isOwn(request) ? own.upgrade(request) : api.upgrade(request));
    },
  };
}

const readMethods = ['GET', 'HEAD'];
/** Subresources with access to a container or program. Even a GET can change something there. */
const forbiddenSubresources = ['exec', 'attach', 'proxy'];

/** True for a request that a read-only agent permits. This includes port-forwards, which imported virtual clusters need. */
function isReadOnlyRequest({ method, path }: Pick<ApiRequest, 'method' | 'path'>, isUpgrade: boolean): boolean {
  const segments = pathSegments(rawPath(path));
  const last = segments.at(-1) ?? '';
  const isPod = segments.at(-3) === 'pods';
  if (isPod && last === 'portforward') return isUpgrade;
  if (method === 'POST')
    return segments[1] === 'authorization.k8s.io' && /^selfsubject(access|rules)reviews$/.test(last);
  return (
    readMethods.includes(method) && !isUpgrade && !segments.some((segment) => forbiddenSubresources.includes(segment))
  );
}

function refusal(): Error {
  return forbiddenPath(
    'the agent of the cluster is read-only (--read-only): it permits no exec, attach and proxy requests, and no requests that change the cluster',
  );
}
