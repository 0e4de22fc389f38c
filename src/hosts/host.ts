import type { Duplex } from 'node:stream';
import type { UserInfo } from '../api/user-info.ts';

/** The namespace and name of a virtual cluster on its host. */
export interface HostLocation {
  readonly namespace: string;
  readonly name: string;
}

export type HostPhase = 'Pending' | 'Ready' | 'Sleeping' | 'Removing' | 'Failed';

/** The state of a virtual cluster on its host. */
export interface HostedVirtualCluster {
  readonly location: HostLocation;
  /** Distinguishes it from earlier and later virtual clusters at the same location. */
  readonly uid: string;
  readonly phase: HostPhase;
  /** The cause of the phase: a CamelCase reason for programs, and a message for users. */
  readonly reason: string;
  readonly message: string;
  /** Empty until it has reported one. */
  readonly kubernetesVersion: string;
  /** The owner that `install` created it for; empty for one that was created manually. */
  readonly owner: string;
  /**
   * The difference from the state that `install` left, as a message; another `install` repairs it. Absent if there is
   * none.
   */
  readonly drift?: string;
}

/**
 * A request to install or update a virtual cluster. The stored `status.installHash` of an instance depends on the names
 * of all members except the location and `owner`: do not rename those.
 */
export interface InstallRequest {
  readonly location: HostLocation;
  /** The id of the owner, at most 63 letters, digits and dashes. Virtual clusters of other owners are never touched. */
  readonly owner: string;
  readonly displayName?: string;
  /** Labels and annotations to add to the virtual cluster's object on the host. */
  readonly metadata?: LabelsAndAnnotations;
  /** Labels, annotations and objects to add to its namespace. */
  readonly space?: LabelsAndAnnotations & {
    /** YAML documents of namespaced kinds, applied to that namespace. */
    readonly objects?: string;
  };
  /** Options for hosts that install with a Helm chart. Absent members default to the host's settings. */
  readonly helm?: HelmRelease;
}

export interface HelmRelease {
  readonly chart?: { readonly name?: string; readonly repo?: string; readonly version?: string };
  /** YAML text. */
  readonly values?: string;
}

/** Labels and annotations to add to the existing ones. */
export interface LabelsAndAnnotations {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface HostCallOptions {
  readonly signal?: AbortSignal;
}

/** Receives the changes of a host. Its functions must be fast and must not throw. */
export interface HostListener {
  /** A virtual cluster in that namespace has changed; without a name it may be any of them. */
  onChange(place: { readonly namespace: string; readonly name?: string }): void;
  /** Changes may have been missed, so anything may have changed. Also called first, at the start. */
  onGap(): void;
}

/**
 * A host driver: manages the virtual clusters of one host. Every function is idempotent and may be repeated after a
 * crash. Rejects with StatusError: 409 if an object of another owner is in the way, 503 if the host cannot be reached;
 * other errors are the host's own.
 */
export interface Host {
  /**
   * Cluster roles that exist and are bound in every virtual cluster from the start, so that callers with these roles
   * need no binding to be created. Optional; defaults to none.
   */
  readonly preboundRoles?: readonly string[];
  /** All virtual clusters on the host, whoever created them, in order of namespace and name. */
  discover(call?: HostCallOptions): Promise<readonly HostedVirtualCluster[]>;
  /**
   * Creates the virtual cluster and its namespace if they do not exist, and adds the given metadata to them. Resolves
   * when the installation has started; `observe` reports when it is ready. A namespace or virtual cluster that exists
   * and belongs to another owner is left alone and is a 409. Objects that cannot be applied are an ApplyError; any
   * other fault of the request or of the installer is an InstallError.
   */
  install(wanted: InstallRequest, call?: HostCallOptions): Promise<void>;
  /** `undefined` if there is none. */
  observe(place: HostLocation, call?: HostCallOptions): Promise<HostedVirtualCluster | undefined>;
  /**
   * Removes the virtual cluster with all its contents, and then its namespace if `install` created it for this owner.
   * Returns true once nothing is left, and false while the removal continues: call again. A virtual cluster with
   * another uid than the given one is a different one and stays.
   */
  remove(
    place: HostLocation,
    of: { readonly owner: string; readonly uid?: string },
    call?: HostCallOptions,
  ): Promise<boolean>;
  /** Blocks all access; the data is kept. 404 if there is none. */
  sleep(place: HostLocation, call?: HostCallOptions): Promise<void>;
  /** Ends a sleep. 404 if there is none. */
  wake(place: HostLocation, call?: HostCallOptions): Promise<void>;
  /**
   * Reports changes until the signal fires, and then resolves. Recovers from interruptions by itself; never rejects.
   */
  watch(listener: HostListener, signal: AbortSignal): Promise<void>;
  /** The API of the virtual cluster. A missing or unreachable one is reported when a request is sent. */
  clusterApi(place: HostLocation): ClusterApi;
  /** The log of its control plane. 404 if there is none; 400 if virtual clusters of this host have no log. */
  logs(place: HostLocation, wanted: LogRequest): Promise<ApiResponse>;
}

/** A host with a connection that can be closed. */
export interface ClosableHost extends Host {
  /** Closes everything that is open: `watch` resolves, and later calls are a 503. */
  close(): Promise<void>;
}

export interface LogRequest {
  /** The query parameters of a pod log in Kubernetes: `follow=true&tailLines=10`. */
  readonly query: URLSearchParams;
  readonly signal: AbortSignal;
}

/** The API of one cluster, however it is connected. */
export interface ClusterApi {
  /** Resolves with the response head, whatever its status. Rejects only if there is no response. */
  send(request: ApiRequest): Promise<ApiResponse>;
  /**
   * Requests a protocol upgrade (the headers include `connection` and `upgrade`). A response that declines it is an
   * ApiResponse. Absent if the cluster does not support upgrades.
   */
  upgrade?(request: Omit<ApiRequest, 'body'>): Promise<ApiResponse | UpgradedConnection>;
}

/** A connection after `101 Switching Protocols`: bytes in both directions until one side closes it. */
export interface UpgradedConnection {
  readonly status: 101;
  readonly headers: ApiResponse['headers'];
  readonly socket: Duplex;
}

export interface ApiRequest {
  readonly method: string;
  /** The path below the cluster's root, with its query: `/api/v1/namespaces?limit=10`. */
  readonly path: string;
  /** Names in lower case. Credentials among them are ignored: `as` authenticates the request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Uint8Array>;
  /** The user that the request is made for. The cluster decides what that user may do. */
  readonly as: UserInfo | ServiceAccountToken;
  /** Aborts the request and the rest of its response. */
  readonly signal: AbortSignal;
}

/** A credential of the cluster itself: the request is made by that account without impersonation. */
export interface ServiceAccountToken {
  readonly token: string;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Streamed; the body of a watch lasts as long as the watch. */
  readonly body: AsyncIterable<Uint8Array>;
}
