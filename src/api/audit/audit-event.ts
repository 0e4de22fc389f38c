import type { JsonValue } from '@flotilla/json';
import { managementGroup, managementVersion } from '../naming.ts';

/**
 * One line of the audit log (completions §11). The line contains the members in this order and omits undefined ones. It
 * never contains the value of a key, token, password or kubeconfig.
 */
export interface AuditEvent {
  readonly user?: { readonly username: string; readonly groups: readonly string[] } | undefined;
  readonly accessKey?: string | undefined;
  /** The impersonated user, if the request impersonates one. */
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
  /** The request body without secrets, at level Request and above. */
  readonly requestObject?: JsonValue | undefined;
  /** The response body without secrets, at level RequestResponse. */
  readonly responseObject?: JsonValue | undefined;
  readonly decision?:
    | { readonly allowed: boolean; readonly reason: string; readonly scopes?: readonly string[] }
    | undefined;
  /** Audit annotations of admission policies. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /**
   * The agent that served the request, if it was not this server, and the position in the agent's log. Such a line
   * keeps the member order of the agent's line.
   */
  readonly agent?: { readonly cluster: string; readonly log: string; readonly line: number } | undefined;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

/** The response of `GET /audit`: log lines, newest first. */
export interface AuditEventList {
  readonly kind: typeof auditListKind;
  readonly apiVersion: typeof auditApiVersion;
  readonly metadata: {
    /**
     * Cursor for the next request. Absent if the whole log was searched. Can be present with few or no items, because
     * one request searches only a limited part of the log.
     */
    readonly continue?: string;
    /** Time of the oldest line that was searched, whether or not it matched. Absent if there was none. */
    readonly reached?: string;
  };
  readonly items: readonly AuditEvent[];
}

export const auditListKind = 'AuditEventList';
export const auditApiVersion = `${managementGroup}/${managementVersion}`;
/** Path of the audit log search, outside of the control planes. */
export const auditPath = '/audit';
