import { apiPrefix } from './session/page-settings.ts';

/** The base path of an API server, like the path of the `server` field in a kubeconfig. */
export type ApiRoot = string;

export const managementRoot: ApiRoot = `/${apiPrefix}/management`;

export function clusterRoot(cluster: string): ApiRoot {
  return `/${apiPrefix}/cluster/${encodeURIComponent(cluster)}`;
}

export function virtualClusterRoot(project: string, name: string): ApiRoot {
  return instanceRoot('virtualcluster', project, name);
}

/** Returns the base path of an instance's API. `segment` is the path segment of the instance type. */
export function instanceRoot(segment: 'virtualcluster' | 'space', project: string, name: string): ApiRoot {
  return `/${apiPrefix}/project/${encodeURIComponent(project)}/${segment}/${encodeURIComponent(name)}`;
}

/** Returns the WebSocket URL for a path of this server. */
export function webSocketUrl(path: string): string {
  const url = new URL(path, location.origin);
  url.protocol = 'wss:';
  return url.href;
}
