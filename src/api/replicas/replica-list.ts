import { managementGroup, managementVersion } from '../naming.ts';

export const replicaListKind = 'ReplicaList';
export const replicasApiVersion = `${managementGroup}/${managementVersion}`;
/** Path at which administrators read the state of all servers. It does not belong to the API of a control plane. */
export const replicasPath = '/replicas';

/** One of the servers that share a store, as the server that answers knows it. */
export interface ReplicaStatus {
  readonly name: string;
  /** True for the server that answers. */
  readonly isThis: boolean;
  readonly version: string;
  /** The URL of the server; empty if it is not known. */
  readonly address: string;
  /** True if the server does the work that is not divided among servers. */
  readonly isLeader: boolean;
  /** The number of shards of the background work that the server does, of 64. */
  readonly shards: number;
  /** The revision of the management API up to which the caches of the server were complete at its last heartbeat. */
  readonly revision?: number;
  /**
   * The age of this state at the last heartbeat, in seconds. More than 1 if the caches could not be confirmed although the
   * server still writes heartbeats.
   */
  readonly lagSeconds?: number;
  /** The difference between the clock of the server and the clock of the server that answers, in seconds. */
  readonly clockSkewSeconds: number;
  /** False if the server has other limits or permissions in its settings than the server that answers. */
  readonly hasSameSettings: boolean;
  /** The lowest and the highest version of the stored format that the server supports. */
  readonly schemas: readonly [lowest: number, highest: number];
  /** True if another server supports a higher schema, which the store cannot use while this server runs. */
  readonly isOutdated: boolean;
}

export interface ReplicaList {
  readonly kind: typeof replicaListKind;
  readonly apiVersion: typeof replicasApiVersion;
  /** The version of the stored format that all servers write now. Absent if the server does not share its store. */
  readonly schema?: number;
  readonly items: readonly ReplicaStatus[];
}
