import type { Duplex } from 'node:stream';
import type { UserInfo } from '../api/user-info.ts';

/** Where a virtual cluster stands on its host. */
export interface HostPlace {
  readonly namespace: string;
  readonly name: string;
}

export type HostPhase = 'Pending' | 'Ready' | 'Sleeping' | 'Removing' | 'Failed';

/** A virtual cluster as its host sees it. */
export interface HostedVirtualCluster {
  readonly place: HostPlace;
  /** Tells it from another one that stood or will stand there. */
  readonly uid: string;
  readonly phase: HostPhase;
  /** Why it is in this phase: a word for programs, and what to do about it for people. */
  readonly reason: string;
  readonly message: string;
  /** '' until it has reported one. */
  readonly kubernetesVersion: string;
  /** Whom `install` made it for; '' for one that was made by hand. */
  readonly owner: string;
  /** What of it is not as `install` left it, in words; another `install` mends it. Absent: nothing. */
  readonly drift?: string;
}

export interface Installation {
  readonly place: HostPlace;
  /** An id of whoever wants it, at most 63 letters, digits and dashes: another owner's is never touched. */
  readonly owner: string;
  readonly displayName?: string;
  /** Added to the virtual cluster as the host knows it. */
  readonly metadata?: Decoration;
  /** Added to its namespace. */
  readonly space?: Decoration & {
    /** YAML documents of namespaced kinds, applied in that namespace. */
    readonly objects?: string;
  };
  /** How it is installed where that is done by a Helm chart. Absent members: as the host is set up. */
  readonly helm?: HelmRelease;
}

export interface HelmRelease {
  readonly chart?: { readonly name?: string; readonly repo?: string; readonly version?: string };
  /** YAML text. */
  readonly values?: string;
}

/** Labels and annotations, beside those that are there already. */
export interface Decoration {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface HostCall {
  readonly signal?: AbortSignal;
}

/** Hears where something happens on a host. Must be quick, and must not throw. */
export interface HostListener {
  /** Something about the virtual clusters of that namespace is another than it was; without a name: any of them. */
  onChange(place: { readonly namespace: string; readonly name?: string }): void;
  /** What happened until now is not told: everything may have changed. Called first of all, too. */
  onGap(): void;
}

/**
 * What virtual clusters run on. Every function may be called again after a crash, any number of times, and leads to the
 * same end. Rejects with StatusError: 409 where something of somebody else's is in the way, 503 where the host cannot be
 * reached; others are the host's own words.
 */
export interface Host {
  /**
   * The cluster roles of its virtual clusters that whom a gateway lets in with them has from the first moment: nobody has
   * to bring their binding in. Absent: none.
   */
  readonly boundRoles?: readonly string[];
  /** All virtual clusters that are there, whoever made them, in order of namespace and name. */
  discover(call?: HostCall): Promise<readonly HostedVirtualCluster[]>;
  /**
   * Makes the virtual cluster, and its namespace, where they are not there, and adds to them what is to be added. Settles
   * when it is on its way; `observe` tells when it is ready. A namespace or a virtual cluster that is there and was not
   * made for this owner is left alone, and is a 409. Objects that cannot be applied are an ApplyError; whatever else is
   * wrong with what is to be installed, or with what installs it, is an InstallError.
   */
  install(wanted: Installation, call?: HostCall): Promise<void>;
  /** undefined: there is none. */
  observe(place: HostPlace, call?: HostCall): Promise<HostedVirtualCluster | undefined>;
  /**
   * Takes the virtual cluster away with everything in it, and then its namespace where `install` made it for this
   * owner. True once nothing of them is left; false while it goes on: call again. A virtual cluster of another uid than
   * the one given is another one, and stays.
   */
  remove(place: HostPlace, of: { readonly owner: string; readonly uid?: string }, call?: HostCall): Promise<boolean>;
  /** Nobody gets in any more; everything in it is kept. 404 where there is none. */
  sleep(place: HostPlace, call?: HostCall): Promise<void>;
  /** The end of a sleep. 404 where there is none. */
  wake(place: HostPlace, call?: HostCall): Promise<void>;
  /**
   * Tells of every change until the signal fires, and settles then. Goes on by itself after whatever interrupts it;
   * never rejects.
   */
  follow(listener: HostListener, signal: AbortSignal): Promise<void>;
  /** The way to its API. Whether somebody answers there shows when it is used. */
  reach(place: HostPlace): ClusterApi;
  /** What its control plane wrote. 404 where there is none; 400 where a virtual cluster of this host has no such thing. */
  logs(place: HostPlace, wanted: LogRequest): Promise<ApiResponse>;
}

/** One that is connected to, and can be let go of. */
export interface ClosableHost extends Host {
  /** Ends whatever is open; who follows it is done, and what is asked of it from now on is a 503. */
  close(): Promise<void>;
}

export interface LogRequest {
  /** As Kubernetes has it for pods: `follow=true&tailLines=10`. */
  readonly query: URLSearchParams;
  readonly signal: AbortSignal;
}

/** The API of one cluster, whatever lies in between. */
export interface ClusterApi {
  /** Resolves when the head of the answer is there, whatever its status; rejects only where no answer comes. */
  send(request: ApiRequest): Promise<ApiResponse>;
  /**
   * Asks for another protocol on the connection (`connection` and `upgrade` are among the headers). An answer that says
   * no is an ApiResponse. Absent: nothing there answers so.
   */
  upgrade?(request: Omit<ApiRequest, 'body'>): Promise<ApiResponse | UpgradedConnection>;
}

/** After `101 Switching Protocols`: bytes both ways until one side ends it. */
export interface UpgradedConnection {
  readonly status: 101;
  readonly headers: ApiResponse['headers'];
  readonly socket: Duplex;
}

export interface ApiRequest {
  readonly method: string;
  /** Below the root of the cluster, with its query: `/api/v1/namespaces?limit=10`. */
  readonly path: string;
  /** Lower-case names. Credentials among them are of no use: the request is made in the name of `as`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Uint8Array>;
  /** In whose name. What they may do in there the cluster says. */
  readonly as: UserInfo | ServiceAccountToken;
  /** Ends the request, and what of its answer is still to come. */
  readonly signal: AbortSignal;
}

/** A credential of the cluster itself: the request is that account's, and nobody else's. */
export interface ServiceAccountToken {
  readonly token: string;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** As it comes; of a watch, for as long as it lasts. */
  readonly body: AsyncIterable<Uint8Array>;
}
