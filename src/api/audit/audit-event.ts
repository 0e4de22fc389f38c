import type { JsonValue } from '../../lib/json-value.ts';
import { managementGroup, managementVersion } from '../naming.ts';

/**
 * One line of the audit log (completions §11), which says its members in this order; what is undefined does not stand in it.
 * Never a key, token, password or kubeconfig value.
 */
export interface AuditEvent {
  readonly user?: { readonly username: string; readonly groups: readonly string[] } | undefined;
  readonly accessKey?: string | undefined;
  /** Whom the request was made as, where that is somebody else. */
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
  /** At level Request and above: what was sent, without its secrets. */
  readonly requestObject?: JsonValue | undefined;
  /** At level RequestResponse: what was answered, without its secrets. */
  readonly responseObject?: JsonValue | undefined;
  readonly decision?:
    | { readonly allowed: boolean; readonly reason: string; readonly scopes?: readonly string[] }
    | undefined;
  /** What policies have to say of the request. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /**
   * The agent that the request came to, where it did not come to this server; and which line of its log this is. Such a
   * line says its members in the order in which they were taken over.
   */
  readonly agent?: { readonly cluster: string; readonly log: string; readonly line: number } | undefined;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

/** What `GET /audit` answers: lines as they stand in the log, newest first. */
export interface AuditEventList {
  readonly kind: typeof auditListKind;
  readonly apiVersion: typeof auditApiVersion;
  readonly metadata: {
    /**
     * Where the next request goes on; absent: the whole log was looked at. It can be there with few items or none, as
     * one request looks at so much of the log and no more.
     */
    readonly continue?: string;
    /** The time of the oldest line that was looked at, whether or not it is among the items; absent: there was none. */
    readonly reached?: string;
  };
  readonly items: readonly AuditEvent[];
}

export const auditListKind = 'AuditEventList';
export const auditApiVersion = `${managementGroup}/${managementVersion}`;
/** Where the log is searched, outside of the planes. */
export const auditPath = '/audit';
