import type { JsonValue } from '@flotilla/json';
import { dryRunAuditAnnotation, managementGroup, managementVersion } from '../naming.ts';
import type { ChainLink } from './audit-chain.ts';

/**
 * One line of the audit log (completions §11). The members are written in this order, and undefined members are
 * omitted. A line never contains the value of an access key, token, password or kubeconfig.
 */
export interface AuditEvent {
  readonly user?: { readonly username: string; readonly groups: readonly string[] } | undefined;
  readonly accessKey?: string | undefined;
  /** The user that the caller impersonates in this request. Absent if the caller impersonates no user. */
  readonly impersonatedUser?: { readonly username: string; readonly groups: readonly string[] } | undefined;
  readonly auditID: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  readonly objectRef?:
    | {
        readonly resource: string;
        readonly namespace?: string | undefined;
        readonly name?: string | undefined;
        readonly apiGroup?: string | undefined;
        readonly apiVersion?: string | undefined;
        readonly subresource?: string | undefined;
      }
    | undefined;
  readonly level: 'None' | 'Metadata' | 'Request' | 'RequestResponse';
  readonly stage: 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete';
  readonly responseStatus?: { readonly code: number; readonly reason?: string } | undefined;
  /** The request body without secrets. Present at the audit level Request and above. */
  readonly requestObject?: JsonValue | undefined;
  /** The response body without secrets. Present at the audit level RequestResponse. */
  readonly responseObject?: JsonValue | undefined;
  readonly decision?:
    | { readonly allowed: boolean; readonly reason: string; readonly scopes?: readonly string[] }
    | undefined;
  /**
   * Annotations from the server, for example for a dry run (`isDryRunEvent`), and from admission policies and webhooks.
   */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /**
   * Present if an agent served the request: the agent's cluster, and the position of the line in the agent's own log.
   * A line of an agent keeps the member order in which the agent wrote it.
   */
  readonly agent?: { readonly cluster: string; readonly log: string; readonly line: number } | undefined;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  /** The position of the line in its log. The log adds it when it writes the line. */
  readonly chain?: ChainLink | undefined;
}

/** True if the request was a dry run: it was checked, but it changed nothing. */
export function isDryRunEvent({ annotations }: Pick<AuditEvent, 'annotations'>): boolean {
  return annotations?.[dryRunAuditAnnotation] === 'true';
}

/** The response of `GET /audit`: log lines, newest first. */
export interface AuditEventList {
  readonly kind: typeof auditListKind;
  readonly apiVersion: typeof auditApiVersion;
  readonly metadata: {
    /**
     * Cursor for the next request. Absent if the whole log was searched. A response with few or no items can have a
     * cursor, because one request searches only a limited part of the log.
     */
    readonly continue?: string;
    /**
     * Time of the oldest line that the request searched, even if the line did not match. Absent if the request searched
     * no line.
     */
    readonly reached?: string;
    /**
     * The replicas whose logs were not searched, or not completely, so that lines may be missing. Absent if all logs
     * were searched, or if the server does not share its store.
     */
    readonly incomplete?: readonly UnsearchedReplica[];
  };
  readonly items: readonly AuditEvent[];
}

/** A replica whose audit log was not searched. */
export interface UnsearchedReplica {
  /** The ID of the replica. */
  readonly replica: string;
  readonly reason: string;
}

export const auditListKind = 'AuditEventList';
export const auditApiVersion = `${managementGroup}/${managementVersion}`;
/** Path at which clients search the audit log. It does not belong to the API of a control plane. */
export const auditPath = '/audit';
/** Path at which clients get all lines that match a search. */
export const auditExportPath = '/audit/export';
