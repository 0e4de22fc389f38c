import { adminsGroup } from '../../api/naming.ts';
import type { UserInfo } from '../../api/user-info.ts';
import type { CompiledScope } from './scope.ts';

/** The caller and the restrictions of the credential, as the authorizer needs them. */
export interface AuthorizationSubject {
  readonly user: UserInfo;
  /** True for the server's own code. It is set only inside the process and never derived from a user name or group. */
  readonly system: boolean;
  /** The scopes of the credential. A request must be allowed by every one of them. */
  readonly scopes: readonly CompiledScope[];
}

export function isAdmin(user: UserInfo): boolean {
  return user.groups.includes(adminsGroup);
}
