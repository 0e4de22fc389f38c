import type { Scope } from '../../api/management/v1/scope.ts';

/** An issuer of tokens for workloads, such as the jobs of a CI system, as `auth.workloadIdentity` defines it. */
export interface WorkloadIssuer {
  readonly name: string;
  /** The value that the claim `iss` of its tokens must have. */
  readonly issuer: string;
  /** The accepted audiences. The claim `aud` of a token must contain at least one of them. */
  readonly audiences: readonly string[];
  /** The URL of the key set. If absent, discovery finds the URL. */
  readonly jwksUri?: string;
  /** A file with the key set, for issuers that this server cannot reach. */
  readonly jwksFile?: string;
  /**
   * CA certificates for connections to the issuer, in PEM format. If absent, the CA certificates of the system are
   * used.
   */
  readonly caFile?: string;
  /** The rules, in order. Only the first rule that matches a token applies. */
  readonly rules: readonly WorkloadRule[];
}

/** A rule that gives an access key of a user to every workload whose claims match. */
export interface WorkloadRule {
  readonly name: string;
  /** A CEL expression over `claims`. */
  readonly when: string;
  readonly user: string;
  /** The scope of the access keys, like `spec.scope` of an access key. */
  readonly scope: Scope;
  /** The lifetime of the access keys in seconds. */
  readonly ttl: number;
}
