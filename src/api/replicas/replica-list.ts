import { managementGroup, managementVersion } from '../naming.ts';

export const replicaListKind = 'ReplicaList';
export const replicasApiVersion = `${managementGroup}/${managementVersion}`;
/** Path at which administrators read the state of all servers. It does not belong to the API of a control plane. */
export const replicasPath = '/replicas';

/** The state of one of the servers that share a store, as known to the server that responds. */
export interface ReplicaStatus {
  readonly name: string;
  /** True for the server that responds. */
  readonly isThis: boolean;
  readonly version: string;
  /** The URL of the server; empty if it is not known. */
  readonly address: string;
  /** True if the server does the work that is not divided among servers. */
  readonly isLeader: boolean;
  /** The number of shards of the background work that are assigned to the server. There are 64 shards in total. */
  readonly shards: number;
  /** The revision of the management API up to which the caches of the server were complete at its last heartbeat. */
  readonly revision?: number;
  /**
   * The age of the data in the server's caches at its last heartbeat, in seconds. The age exceeds 1 if the server still
   * wrote heartbeats but could not confirm that its caches were complete.
   */
  readonly lagSeconds?: number;
  /** The clock of this server minus the clock of the server that sends the response, in seconds. */
  readonly clockSkewSeconds: number;
  /**
   * False if the limits or permissions in the settings of this server differ from those of the server that sends the
   * response.
   */
  readonly hasSameSettings: boolean;
  /** The lowest and the highest version of the stored format that the server supports. */
  readonly schemas: readonly [lowest: number, highest: number];
  /**
   * True if another server supports a higher schema than this server. The store cannot use the higher schema while this
   * server runs.
   */
  readonly isOutdated: boolean;
}

export interface ReplicaList {
  readonly kind: typeof replicaListKind;
  readonly apiVersion: typeof replicasApiVersion;
  /** The version of the stored format that all servers write now. Absent if the server does not share its store. */
  readonly schema?: number;
  readonly items: readonly ReplicaStatus[];
}
