import { adminsGroup } from '../../api/naming.ts';
import type { UserInfo } from '../../api/user-info.ts';
import type { Scope } from './scope.ts';

/** Who asks, as far as a decision looks. */
export interface Subject {
  readonly user: UserInfo;
  /** The server's own code; comes from inside the process, never from a name or a group. */
  readonly system: boolean;
  /** What narrows the credential: all of them must allow. */
  readonly scopes: readonly Scope[];
}

export function isAdmin(user: UserInfo): boolean {
  return user.groups.includes(adminsGroup);
}
