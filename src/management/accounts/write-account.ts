import { userKind } from '../../api/management/v1/user.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import { type UserHidden, userHiddenOf } from '../identities/user-hidden.ts';

export interface AccountWrite {
  readonly user: string;
  /** Changes the hidden part of the user. May throw a StatusError to refuse the write. */
  change(hidden: UserHidden): void;
  /** The new password. Absent if the password stays unchanged. */
  readonly password?: string;
}

/**
 * Changes the hidden part of a user, and the password if one is given, in one write. `change` receives the current
 * state, even if several replicas write at the same time.
 */
export async function writeAccount(stores: KindStores, { user, change, password }: AccountWrite): Promise<void> {
  const document = password === undefined ? {} : { spec: { password } };
  await storeOf(stores, userKind).verbs.patch(
    { ...systemContext(''), changeHidden: (hidden) => change(userHiddenOf(hidden)) },
    user,
    { type: 'merge', document, findings: [] },
    { dryRun: false, fieldManager: 'flotilla', fieldValidation: 'Ignore', force: false },
  );
}
