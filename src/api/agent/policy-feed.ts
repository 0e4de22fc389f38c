import type { JsonObject } from '../../lib/json-value.ts';
import type { UserInfo } from '../user-info.ts';

/** Below `/<api_prefix>/agent/<cluster>/`, for the agent of that cluster and for nobody else. */
export const agentPaths = {
  /** GET: `PolicyLine`s, one a line, for as long as both live. */
  policy: 'policy',
  /** PUT an `AgentAnnouncement`. */
  announcement: 'announcement',
  /** POST an `AgentKeyCheck`; answered with a `KnownKey`, or 404. */
  keyCheck: 'key-check',
  /** POST an `AgentAuditBatch`; answered with an `AgentAuditReceipt`. */
  audit: 'audit',
  /** POST an `AgentActivity`. */
  activity: 'activity',
} as const;

/** The kinds of objects that an agent decides with. */
export type PolicyKind = 'Cluster' | 'Project' | 'VirtualClusterInstance';

/**
 * What an agent has to know, as it becomes true. Each connection begins with BEGIN and everything that is true, up to
 * SYNCED; what was known before and is not told again is true no more. Nothing in it opens anything: no value of a key, no
 * hash of one.
 */
export type PolicyLine =
  | ({ readonly type: 'BEGIN' } & PolicyFrame)
  | { readonly type: 'OBJECT'; readonly kind: PolicyKind; readonly object: JsonObject }
  | { readonly type: 'NO_OBJECT'; readonly kind: PolicyKind; readonly namespace: string; readonly name: string }
  | { readonly type: 'KEY'; readonly key: KnownKey }
  | { readonly type: 'NO_KEY'; readonly name: string }
  /** The public halves of the installation's signing keys, as `/auth/jwks` answers them. */
  | { readonly type: 'SIGNING_KEYS'; readonly keys: JsonObject }
  | { readonly type: 'SYNCED'; readonly time: number }
  /** Nothing else was to be told for a while. */
  | { readonly type: 'ALIVE'; readonly time: number };

export interface PolicyFrame {
  /** Whose tokens the agent takes. */
  readonly installation: string;
  readonly apiPrefix: string;
  /** Service accounts of virtual clusters get in with their own tokens. */
  readonly serviceAccountTokens: boolean;
  /** The centre's clock, in milliseconds since the epoch. */
  readonly time: number;
}

/** How often an agent hears something, at least. */
export const aliveMilliseconds = 3_000;

/** An access key that opens something now, and for whom. A key that is not told opens nothing. */
export interface KnownKey {
  readonly name: string;
  readonly uid: string;
  /** Another text whenever the value of the key is another one (`keyMark`). */
  readonly mark: string;
  readonly user: UserInfo;
  /** All of them must allow; none: no narrowing. */
  readonly scopes: readonly JsonObject[];
  /** Milliseconds since the epoch; absent: it has no end. */
  readonly expiresAt?: number;
}

/** Where an agent is found, told each time that it starts. */
export interface AgentAnnouncement {
  /** `https://host:port`, as clients reach it. */
  readonly url: string;
  /** Certificates that it is checked with, as PEM text. */
  readonly authority: string;
  /** What the centre shows to work on the cluster through the agent. */
  readonly credential: string;
  /** What virtual clusters there run on. */
  readonly host: 'built-in' | 'kubernetes';
  readonly version: string;
}

/** A key that somebody showed to an agent, which cannot know by itself whose it is. */
export interface AgentKeyCheck {
  readonly accessKey: string;
}

/** Lines of an agent's audit log, in order. */
export interface AgentAuditBatch {
  /** Tells this log from another that the same agent may begin. */
  readonly log: string;
  /** The number of the first line. */
  readonly first: number;
  readonly lines: readonly JsonObject[];
}

/** All lines below this number are kept. */
export interface AgentAuditReceipt {
  readonly next: number;
}

/** Which instances were used through the agent. */
export interface AgentActivity {
  readonly used: readonly {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly secondsAgo: number;
  }[];
}
