import type { JsonObject } from '@flotilla/json';
import type { UserInfo } from '../user-info.ts';

/** Paths below `/<api_prefix>/agent/<cluster>/`. Only the agent of that cluster may use them. */
export const agentPaths = {
  /** GET: a stream of `PolicyLine`s, one per line, for the lifetime of the connection. */
  policy: 'policy',
  /** PUT an `AgentAnnouncement`. */
  announcement: 'announcement',
  /** POST an `AgentKeyCheck`. Responds with an `ActiveAccessKey`, or 404. */
  keyCheck: 'key-check',
  /** POST an `AgentAuditBatch`. Responds with an `AgentAuditReceipt`. */
  audit: 'audit',
  /** POST an `AgentActivity`. */
  activity: 'activity',
} as const;

/** The kinds of objects that an agent needs for authorization. */
export type PolicyKind = 'Cluster' | 'Project' | 'VirtualClusterInstance';

/**
 * The policy feed: a stream of changes to the state that an agent needs. Each connection starts with BEGIN and the
 * complete state, up to SYNCED. State from a previous connection that is not sent again is no longer valid. The feed
 * contains no credentials: neither values nor hashes of keys.
 */
export type PolicyLine =
  | ({ readonly type: 'BEGIN' } & PolicyFeedHeader)
  | { readonly type: 'OBJECT'; readonly kind: PolicyKind; readonly object: JsonObject }
  | { readonly type: 'NO_OBJECT'; readonly kind: PolicyKind; readonly namespace: string; readonly name: string }
  | { readonly type: 'KEY'; readonly key: ActiveAccessKey }
  | { readonly type: 'NO_KEY'; readonly name: string }
  /** The public signing keys of the installation, as in `/auth/jwks`. */
  | { readonly type: 'SIGNING_KEYS'; readonly keys: JsonObject }
  | { readonly type: 'SYNCED'; readonly time: number }
  /** Keepalive, sent if there was no other line for a while. */
  | { readonly type: 'ALIVE'; readonly time: number };

export interface PolicyFeedHeader {
  /** The installation whose tokens the agent accepts. */
  readonly installation: string;
  readonly apiPrefix: string;
  /** True if service accounts of virtual clusters may authenticate with their own tokens. */
  readonly serviceAccountTokens: boolean;
  /** The server's clock, in milliseconds since the epoch. */
  readonly time: number;
}

/** Maximum time between two lines. */
export const keepaliveIntervalMs = 3_000;

/** An access key that is currently valid, and its user. A key that is not in the feed gives no access. */
export interface ActiveAccessKey {
  readonly name: string;
  readonly uid: string;
  /** Changes whenever the value of the key changes (`keyFingerprint`). */
  readonly mark: string;
  readonly user: UserInfo;
  /** Every scope must allow a request. Empty: no restriction. */
  readonly scopes: readonly JsonObject[];
  /** Milliseconds since the epoch. Absent if the key does not expire. */
  readonly expiresAt?: number;
}

/** The address and credential of an agent, sent at each start. */
export interface AgentAnnouncement {
  /** `https://host:port` of the direct endpoint. */
  readonly url: string;
  /** PEM-encoded CA certificates that verify the agent. */
  readonly authority: string;
  /** Credential with which the server accesses the cluster through the agent. */
  readonly credential: string;
  /** Host type of the virtual clusters on the agent's cluster. */
  readonly host: 'built-in' | 'kubernetes';
  readonly version: string;
}

/** An access key that a client sent to an agent, and that the agent cannot verify by itself. */
export interface AgentKeyCheck {
  readonly accessKey: string;
}

/** Consecutive lines of an agent's audit log. */
export interface AgentAuditBatch {
  /** Identifies this log, because the same agent may start another. */
  readonly log: string;
  /** The number of the first line. */
  readonly first: number;
  readonly lines: readonly JsonObject[];
}

/** All lines below this number are stored. */
export interface AgentAuditReceipt {
  readonly next: number;
}

/** The instances that were used through the agent. */
export interface AgentActivity {
  readonly used: readonly {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly secondsAgo: number;
  }[];
}
