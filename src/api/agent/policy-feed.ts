import type { JsonObject } from '@flotilla/json';
import type { CredentialLimits } from '../credential-limits.ts';
import type { Scope } from '../management/v1/scope.ts';
import type { UserInfo } from '../user-info.ts';

/** Paths below `/<api_prefix>/agent/<cluster>/`. Only the agent of that cluster may use them. */
export const agentPaths = {
  /**
   * POST with an `AgentJoinRequest` and a join token as bearer token: binds the agent's key to the cluster. The join
   * token is valid only for this path, and only once.
   */
  join: 'join',
  /** GET opens the policy feed: one `PolicyLine` per line, until the connection closes. */
  policy: 'policy',
  /** PUT with an `AgentAnnouncement`: registers the agent's address and credential. Responds with an `AgentAnnouncementReceipt`. */
  announcement: 'announcement',
  /** POST with an `AgentKeyCheck`: responds with an `ActiveAccessKey`, or with 404 if the key is not valid. */
  keyCheck: 'key-check',
  /** POST with an `AgentAuditBatch`: stores lines of the agent's audit log. Responds with an `AgentAuditReceipt`. */
  audit: 'audit',
  /** POST with an `AgentActivity`: records the use of instances. */
  activity: 'activity',
  /** GET with an upgrade and an `AgentTunnelQuery` opens a tunnel, in which the server opens connections to the agent. */
  tunnel: 'tunnel',
} as const;

/**
 * The kinds of the OBJECT lines of the policy feed. An agent needs these objects for authorization. Spaces have SPACE
 * lines instead.
 */
export type PolicyKind = 'Cluster' | 'Project' | 'VirtualClusterInstance';

/**
 * One line of the policy feed, which streams to an agent the state that it needs to authorize requests. Each connection
 * starts with BEGIN and the complete state, up to SYNCED. The agent then discards old state that was not sent again.
 * The feed contains no credentials: neither the values nor the hashes of access keys.
 */
export type PolicyLine =
  | ({ readonly type: 'BEGIN' } & PolicyFeedHeader)
  | { readonly type: 'OBJECT'; readonly kind: PolicyKind; readonly object: JsonObject }
  | { readonly type: 'NO_OBJECT'; readonly kind: PolicyKind; readonly namespace: string; readonly name: string }
  /**
   * A SpaceInstance. It has its own line type, because agents of older releases ignore unknown line types, but reject
   * unknown kinds.
   */
  | { readonly type: 'SPACE'; readonly object: JsonObject }
  | { readonly type: 'NO_SPACE'; readonly namespace: string; readonly name: string }
  | { readonly type: 'KEY'; readonly key: ActiveAccessKey }
  | { readonly type: 'NO_KEY'; readonly name: string }
  /** The public keys with which the installation signs tokens, in the same format as `/auth/jwks`. */
  | { readonly type: 'SIGNING_KEYS'; readonly keys: JsonObject }
  | { readonly type: 'SYNCED'; readonly time: number }
  /**
   * A keepalive, sent if no other line was sent for `keepaliveIntervalMs`. The server has already sent every change up
   * to `revision`. The revision is absent if it is absent in `PolicyFeedHeader`.
   */
  | { readonly type: 'ALIVE'; readonly time: number; readonly revision?: number };

export interface PolicyFeedHeader {
  /** The identifier of the server's installation. The agent accepts only tokens of this installation. */
  readonly installation: string;
  readonly apiPrefix: string;
  /** The API word of the server. Absent if the server is older than this field; the word is then `platform`. */
  readonly apiWord?: string;
  /** True if service accounts of virtual clusters may authenticate with their own tokens. */
  readonly serviceAccountTokens: boolean;
  /**
   * The maximum age of a service account token since it was issued, in seconds; 0 means no limit. Absent if the server
   * is older than this field; there is then no limit.
   */
  readonly maxServiceAccountTokenAge?: number;
  /** The limits of each credential. Absent if the server is older than this field; the agent then uses the defaults. */
  readonly limits?: CredentialLimits;
  /** The server's clock, in milliseconds since the epoch. */
  readonly time: number;
  /**
   * The revision of the management API up to which the full policy contains every change. Absent if the installation
   * has only one server, whose policy is always current.
   */
  readonly revision?: number;
}

/** The time after which the server sends a keepalive line if it has sent no other line. */
export const keepaliveIntervalMs = 3_000;

/** An access key that is currently valid, and its user. An agent rejects keys that are not in the policy feed. */
export interface ActiveAccessKey {
  readonly name: string;
  readonly uid: string;
  /** The fingerprint of the key's value, computed by `keyFingerprint`. It changes whenever the value changes. */
  readonly mark: string;
  readonly user: UserInfo;
  /** A request must be allowed by every one of these scopes. An empty list does not restrict requests. */
  readonly scopes: readonly Scope[];
  /** The expiry, in milliseconds since the epoch. Absent if the key does not expire. */
  readonly expiresAt?: number;
  /** Lists of address ranges. The address of a client must be in every list. Absent if the key may be used everywhere. */
  readonly addresses?: readonly (readonly string[])[];
}

/** The address and credential of an agent, which the agent sends to the server at each start. */
export interface AgentAnnouncement {
  /** URL of the agent's direct endpoint: `https://host:port`; empty if it has none. */
  readonly url: string;
  /** PEM-encoded CA certificates that verify the agent's certificate. */
  readonly authority: string;
  /** Credential with which the server accesses the cluster through the agent. */
  readonly credential: string;
  /** True if the server reaches the agent through its tunnels and not at `url`. Absent means false. */
  readonly isTunneled?: boolean;
  /** The type of host that runs the virtual clusters on the agent's cluster. */
  readonly host: 'built-in' | 'kubernetes';
  readonly version: string;
  /**
   * True if the agent also accepts the credential in the response, which all agents of a cluster share. If absent or
   * false, only one agent of the cluster can serve requests of the server.
   */
  readonly sharesCredential?: boolean;
  /**
   * True if the agent has not opened a tunnel yet. The server then stores nothing from the announcement, but responds
   * with the shared credential of the cluster if there is one. Absent means false.
   */
  readonly isConnecting?: boolean;
  /** The host name of the agent's machine or pod. Absent if the agent is older than this field. */
  readonly hostname?: string;
  /** True if the agent permits only what imported virtual clusters need. Absent means false. */
  readonly readOnly?: boolean;
  /** The Helm release that runs the agent. Absent if there is none. */
  readonly release?: { readonly name: string; readonly namespace: string };
}

/** The response to an announcement. */
export interface AgentAnnouncementReceipt {
  /**
   * The credential that the server uses for all agents of the cluster. Absent if the server uses the credential in the
   * announcement.
   */
  readonly credential?: string;
}

/**
 * Facts about an agent that the server must know before it uses a tunnel. The agent sends them in the query of the
 * tunnel request.
 */
export interface AgentTunnelQuery {
  readonly version: string;
  /** The unique ID of the agent's cluster. Absent if the agent does not know it yet. */
  readonly clusterUID?: string;
}

/** The request with which an agent joins a cluster. */
export interface AgentJoinRequest {
  /** The agent's PEM-encoded public key: a P-256 key, for signatures with ES256. */
  readonly publicKey: string;
  /** An `AgentProof`, signed with the agent's key, that names the join token. */
  readonly proof: string;
  /** The type of the agent's cluster. */
  readonly host: AgentAnnouncement['host'];
}

/** An access key that a client sent to an agent, and that the agent asks the server to verify. */
export interface AgentKeyCheck {
  readonly accessKey: string;
}

/** Consecutive lines of an agent's audit log. */
export interface AgentAuditBatch {
  /** The identifier of the log file. It distinguishes a new log file of an agent from the agent's earlier log files. */
  readonly log: string;
  /** The position of the first of the `lines` in the log. */
  readonly first: number;
  readonly lines: readonly JsonObject[];
}

/** Confirms to an agent which lines of its audit log the server has stored: all lines before the position `next`. */
export interface AgentAuditReceipt {
  readonly next: number;
}

/** Reports to the server which instances clients used through the agent. */
export interface AgentActivity {
  readonly used: readonly {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly secondsAgo: number;
  }[];
}
