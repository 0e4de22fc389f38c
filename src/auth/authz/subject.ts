import { adminsGroup } from '../../api/naming.ts';
import type { UserInfo } from '../../api/user-info.ts';
import type { Scope } from './scope.ts';

/** The caller as the authorizer sees it. */
export interface Subject {
  readonly user: UserInfo;
  /** True for the server's own code. Set only inside the process, never derived from a name or a group. */
  readonly system: boolean;
  /** The scopes of the credential. All of them must allow a request. */
  readonly scopes: readonly Scope[];
}

export function isAdmin(user: UserInfo): boolean {
  return user.groups.includes(adminsGroup);
}
