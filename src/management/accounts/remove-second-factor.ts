import { userSecondFactorRemovalKind } from '../../api/management/v1/subresources/user-second-factor-removal.ts';
import { userKind } from '../../api/management/v1/user.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { notFound } from '../../api/status.ts';
import type { KindStores } from '../../registry/kind-stores.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import { requireFreshLogin } from '../access-keys/fresh-login.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import { computedObject } from '../subresources/computed-object.ts';
import { hasSecondFactor, removeSecondFactor } from './second-factor.ts';
import { writeAccount } from './write-account.ts';

export interface RemoveSecondFactorOptions extends Pick<ManagementDependencies, 'state' | 'settings' | 'clock'> {
  readonly stores: KindStores;
}

/** POST `users/<name>/removesecondfactor`: removes the second factor of a user who lost it. */
export function removeSecondFactorOfUser(options: RemoveSecondFactorOptions): MountedSubresource {
  const { state, stores } = options;
  return {
    kind: userSecondFactorRemovalKind,
    verbs: {
      async createNamed(context, name, _sent, { dryRun }) {
        await state.caughtUp();
        if (state.user(name) === undefined) throw notFound(groupResourceOf(userKind), name);
        const change = 'removing the second factor of a user';
        requireFreshLogin({ resource: groupResourceOf(userKind), name, change }, context, options);
        const removed = hasSecondFactor(state.userHidden(name));
        if (removed && !dryRun) await writeAccount(stores, { user: name, change: removeSecondFactor });
        return computedObject(userSecondFactorRemovalKind, { name }, { status: { removed } });
      },
    },
  };
}
