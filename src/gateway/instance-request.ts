import type { CredentialUse } from '../api/management/credential-use.ts';
import type { Identity } from '../auth/identity.ts';
import type { AccountTokenLimits } from './account-tokens/account-token-limits.ts';
import type { ProjectInstance } from './instance-type.ts';

/** The state of one request to an instance. */
export interface InstanceRequest<Instance extends ProjectInstance> {
  readonly project: string;
  readonly name: string;
  /**
   * The version of the instance that was current when the request arrived. Both the roles of the caller and the session
   * are based on this version.
   */
  instance?: Instance | undefined;
  /** The caller's identity in the management API. Absent for a service account of the virtual cluster. */
  known?: Identity;
  /**
   * The expiry of the credential, in milliseconds since the epoch. Absent if the credential is valid as long as its
   * access key.
   */
  ends?: number;
  /** Returns false if the service account token is revoked, or its creator may no longer use the instance. */
  isStillAllowed?: () => boolean;
  /** Fires when the instance is deleted or grants other roles. Present only for long-running requests. */
  changed?: AbortSignal;
}

/** The use of an instance by service accounts with their own tokens. */
export interface ServiceAccountOptions<Instance extends ProjectInstance> {
  /** True if the tokens are accepted. */
  readonly areAccepted: boolean;
  readonly limits: AccountTokenLimits<Instance>;
  /** Records the use of a service account token. Optional; agents do not record it. */
  recordUse?(instance: Instance, use: CredentialUse): void;
}
