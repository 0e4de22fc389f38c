import type { JsonObject } from '@flotilla/json';

/** `kubeconfigPurpose` is the purpose with which the kubeconfig is sealed. */
export const hiddenKubeconfig = 'kubeconfig';
export const kubeconfigPurpose = 'cluster-kubeconfig';
export const hiddenClusterUid = 'clusterUID';

/** The hidden part of a cluster: data that the server keeps with the cluster and that no response contains. */
export type ClusterHidden = {
  /** The sealed kubeconfig. */
  [hiddenKubeconfig]?: string;
  /** The unique ID of the connected cluster. Absent until it is known. */
  [hiddenClusterUid]?: string;
};

/**
 * Casts the hidden part of a record to the hidden part of a cluster. All such casts use this function. They are safe,
 * because only the hooks of the kind change the hidden part.
 */
export function clusterHiddenOf(hidden: JsonObject | undefined): ClusterHidden | undefined {
  return hidden as ClusterHidden | undefined;
}
