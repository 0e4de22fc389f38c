/** One line of the audit log (completions §11). Never a key, token, password or kubeconfig value. */
export interface AuditEvent {
  readonly level: 'None' | 'Metadata' | 'Request' | 'RequestResponse';
  readonly auditID: string;
  readonly stage: 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete';
  readonly verb: string;
  readonly requestURI: string;
  readonly user?: { readonly username: string; readonly groups: readonly string[] };
  /** Whom the request was made as, where that is somebody else. */
  readonly impersonatedUser?: { readonly username: string; readonly groups: readonly string[] };
  readonly accessKey?: string;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  readonly objectRef?: {
    readonly resource: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly apiGroup?: string;
    readonly apiVersion?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: { readonly code: number; readonly reason?: string };
  readonly decision?: { readonly allowed: boolean; readonly reason: string };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

export interface AuditLog {
  /** Resolves once the line is handed to the operating system; rejects if it cannot be written. */
  write(event: AuditEvent): Promise<void>;
  close(): Promise<void>;
}
