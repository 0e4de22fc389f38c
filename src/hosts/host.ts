import type { Duplex } from 'node:stream';
import type { JsonObject } from '@flotilla/json';
import type { HostIsolation } from '../api/management/host-isolation/host-isolation.ts';
import type { SpaceBinding } from '../api/management/space-roles.ts';
import type { ApiSet } from '../api/storage/api-set.ts';
import type { UserInfo } from '../api/user-info.ts';

/**
 * The namespace and name of a virtual cluster on its host. For a space, `namespace` is its namespace and `name` is ''.
 */
export interface HostLocation {
  readonly namespace: string;
  readonly name: string;
}

export type HostPhase = 'Pending' | 'Ready' | 'Sleeping' | 'Removing' | 'Failed';

/** The state of a virtual cluster, or of a space, on its host. */
export interface HostedVirtualCluster {
  readonly location: HostLocation;
  /** The unique id of the virtual cluster. An earlier or later virtual cluster at the same location has another uid. */
  readonly uid: string;
  readonly phase: HostPhase;
  /**
   * The cause of the phase. The member `reason` is a CamelCase identifier for use in code; `message` is a sentence for
   * users.
   */
  readonly reason: string;
  readonly message: string;
  /**
   * The Kubernetes version of the virtual cluster. Empty until the virtual cluster has reported its version; always
   * empty for a space.
   */
  readonly kubernetesVersion: string;
  /** The owner that was passed to `install`; empty for a virtual cluster that a user created manually. */
  readonly owner: string;
  /**
   * Describes how the virtual cluster differs from the state that `install` created. Calling `install` again repairs
   * the difference. Absent if there is no difference.
   */
  readonly drift?: string;
  /**
   * The time, in RFC 3339, at which the last sleep deleted the data of the virtual cluster, because the virtual cluster
   * has no persistent volume. Absent if the last sleep kept the data.
   */
  readonly dataLostAt?: string;
}

/**
 * A request to install or update a virtual cluster or a space. Do not rename any member except `location` and `owner`:
 * the stored `status.installHash` of an instance is a hash over the names and values of all other members.
 */
export interface InstallRequest {
  readonly location: HostLocation;
  /**
   * The id of the owner, at most 63 letters, digits and dashes. A virtual cluster of another owner is never changed.
   */
  readonly owner: string;
  readonly displayName?: string;
  /** The set of kinds that a new virtual cluster serves. Ignored by hosts that are not a built-in cluster. */
  readonly api?: ApiSet;
  /** Labels and annotations to add to the virtual cluster's object on the host. */
  readonly metadata?: LabelsAndAnnotations;
  /** Labels, annotations and objects to add to the namespace of the virtual cluster. */
  readonly space?: LabelsAndAnnotations & {
    /** Objects to apply to the namespace. Only namespaced kinds are allowed. */
    readonly objects?: readonly JsonObject[];
    /**
     * The resources to which the objects may belong. Optional; defaults to the resources in
     * `defaultHostAccessSettings`.
     */
    readonly allowedResources?: readonly string[];
  };
  /** The isolation of the namespace. Ignored by hosts without `isolatesNamespaces`. */
  readonly isolation?: HostIsolation;
  /** The roles in the namespace of a space. Bindings of other roles that an earlier request created are removed. */
  readonly bindings?: readonly SpaceBinding[];
  /**
   * The uid of an existing namespace that the space takes over. When the space is removed, the namespace is kept,
   * unless an earlier space created it.
   */
  readonly adopt?: string;
  /** The Helm chart and its values. Ignored by hosts without Helm. Absent members default to the server's settings. */
  readonly helm?: HelmRelease;
}

export interface HelmRelease {
  readonly chart?: { readonly name?: string; readonly repo?: string; readonly version?: string };
  /** The Helm values, as YAML. */
  readonly values?: string;
}

/** Labels and annotations to add to an object. Other labels and annotations of the object are preserved. */
export interface LabelsAndAnnotations {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface HostCallOptions {
  readonly signal?: AbortSignal;
}

export interface SleepOptions extends HostCallOptions {
  /**
   * True to put the virtual cluster to sleep even if it has no persistent volume and the sleep thus deletes its data.
   * If false, `sleep` then rejects with DataLossError. Optional; defaults to false.
   */
  readonly acceptsDataLoss?: boolean;
  /**
   * Decides whether the virtual cluster shall still be put to sleep. Called after its current state was read. If the result is
   * false, nothing is changed. If the virtual cluster is changed after its state was read, for example because it is woken,
   * `sleep` rejects with 409 or calls the function again. Optional; by default the virtual cluster is put to sleep.
   */
  isWanted?(): Promise<boolean>;
}

/** Receives the changes on a host. Its functions must be fast and must not throw. */
export interface HostListener {
  /**
   * Called after a virtual cluster has changed. If `name` is absent, any virtual cluster in the namespace may have
   * changed.
   */
  onChange(location: { readonly namespace: string; readonly name?: string }): void;
  /** Called at the start of a watch and after an interruption. Any virtual cluster may have changed unnoticed. */
  onGap(): void;
}

/**
 * The functions of a host driver that manage the instances of one kind: its virtual clusters or its spaces. Every
 * function is idempotent, so it can be called again after a crash. Functions reject with StatusError: 409 if an object
 * of another owner already exists, 503 if the host cannot be reached. Errors of the host itself are passed on. The
 * comments describe virtual clusters. For spaces, read namespace instead of virtual cluster.
 */
export interface InstanceDriver {
  /** True if `install` applies `InstallRequest.isolation`. Optional; defaults to false. */
  readonly isolatesNamespaces?: boolean;
  /**
   * Creates the virtual cluster and its namespace if they do not exist, and adds the requested labels and annotations.
   * Resolves after the installation has started; `observe` reports whether the virtual cluster is ready. Rejects with
   * 409 if the namespace or virtual cluster belongs to another owner, with ApplyError if objects cannot be applied, and
   * with InstallError for any other error in the request or the installation.
   */
  install(request: InstallRequest, call?: HostCallOptions): Promise<void>;
  /** Returns the state of the virtual cluster at this location; `undefined` if there is none. */
  observe(location: HostLocation, call?: HostCallOptions): Promise<HostedVirtualCluster | undefined>;
  /**
   * Removes the virtual cluster with all its contents, and then its namespace if `install` created it for this owner.
   * Returns true after everything is removed. Returns false while the removal is in progress; the caller must call
   * again. If `uid` is given, a virtual cluster with another uid is not removed.
   */
  remove(
    location: HostLocation,
    of: { readonly owner: string; readonly uid?: string },
    call?: HostCallOptions,
  ): Promise<boolean>;
  /**
   * Puts the virtual cluster to sleep: all access is blocked, and its data is preserved. 404 if it does not exist. Rejects
   * with DataLossError if its data cannot be preserved and `SleepOptions.acceptsDataLoss` is not set.
   */
  sleep(location: HostLocation, call?: SleepOptions): Promise<void>;
  /**
   * Returns the reason why `sleep` would delete the data of the virtual cluster; `undefined` if its data would be preserved.
   * Optional; hosts without this function always preserve data.
   */
  sleepDataLoss?(location: HostLocation, call?: HostCallOptions): Promise<string | undefined>;
  /** Wakes the virtual cluster. 404 if it does not exist. */
  wake(location: HostLocation, call?: HostCallOptions): Promise<void>;
  /** Reports changes to the listener until the signal fires. Reconnects after interruptions, and never rejects. */
  watch(listener: HostListener, signal: AbortSignal): Promise<void>;
}

/** A host driver, which manages the virtual clusters and the spaces on one host. */
export interface Host extends InstanceDriver {
  /**
   * Cluster roles that are bound in every virtual cluster from its creation. The server does not need to create role
   * bindings for callers with these roles. Optional; defaults to none.
   */
  readonly preboundRoles?: readonly string[];
  /**
   * The spaces on the host. Sleep scales the workloads in the namespace to zero; it does not block requests to the host's
   * API.
   */
  readonly spaces: InstanceDriver;
  /** Returns all virtual clusters on the host, including manually created ones, sorted by namespace and name. */
  discover(call?: HostCallOptions): Promise<readonly HostedVirtualCluster[]>;
  /**
   * Returns the API of the virtual cluster at this location. If the virtual cluster is missing or unreachable, each
   * request to the API fails.
   */
  clusterApi(location: HostLocation): ClusterApi;
  /**
   * Returns the log of the virtual cluster's control plane. 404 if the virtual cluster does not exist; 400 if the
   * virtual clusters of this host have no logs.
   */
  logs(location: HostLocation, request: LogRequest): Promise<ApiResponse>;
}

/** A host driver that must be closed when it is no longer needed. */
export interface ClosableHost extends Host {
  /** Stops all watches and aborts all calls. Later calls fail with 503. */
  close(): Promise<void>;
}

export interface LogRequest {
  /** The query parameters of a Kubernetes pod log request, for example `follow=true&tailLines=10`. */
  readonly query: URLSearchParams;
  readonly signal: AbortSignal;
}

/** The API of one cluster or virtual cluster, independent of the way in which it is reached. */
export interface ClusterApi {
  /** Resolves with the status, headers and unread body of any response. Rejects only if there is no response. */
  send(request: ApiRequest): Promise<ApiResponse>;
  /**
   * Requests a protocol upgrade; the headers must include `connection` and `upgrade`. Returns an ApiResponse if the
   * cluster declines the upgrade. This function is absent if the cluster does not support upgrades.
   */
  upgrade?(request: Omit<ApiRequest, 'body'>): Promise<ApiResponse | UpgradedConnection>;
}

/** A connection after `101 Switching Protocols`. Both sides may send bytes until one of them closes the socket. */
export interface UpgradedConnection {
  readonly status: 101;
  readonly headers: ApiResponse['headers'];
  readonly socket: Duplex;
}

export interface ApiRequest {
  readonly method: string;
  /** The path and query below the root of the cluster, for example `/api/v1/namespaces?limit=10`. */
  readonly path: string;
  /** The headers, with names in lower case. Credentials in the headers are ignored; `as` authenticates the request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Uint8Array>;
  /** The user as whom the request is sent, by impersonation or with a token. The cluster authorizes that user. */
  readonly as: UserInfo | ServiceAccountToken;
  /** Aborts the request, and also the response body if it has not been read completely. */
  readonly signal: AbortSignal;
}

/** The token of a service account of the cluster. The request is sent as that account, without impersonation. */
export interface ServiceAccountToken {
  readonly token: string;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The body as a stream. The body of a watch ends when the watch ends. */
  readonly body: AsyncIterable<Uint8Array>;
}
