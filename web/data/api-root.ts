import { apiPrefix } from './page-facts.ts';

/** The path of an API server: what a kubeconfig's `server` ends in. */
export type ApiRoot = string;

export const managementRoot: ApiRoot = `/${apiPrefix}/management`;

export function clusterRoot(cluster: string): ApiRoot {
  return `/${apiPrefix}/cluster/${encodeURIComponent(cluster)}`;
}

export function virtualClusterRoot(project: string, name: string): ApiRoot {
  return `/${apiPrefix}/project/${encodeURIComponent(project)}/virtualcluster/${encodeURIComponent(name)}`;
}
