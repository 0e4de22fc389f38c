import { defaultServiceAccount, serviceAccountKind } from '../../../api/core/service-account.ts';
import { hostOwnerLabel } from '../../../api/naming.ts';
import type { StoredResource } from '../../../registry/resource.ts';
import { type ObjectRef, resourceKey } from '../../../registry/rows/rows.ts';
import type { RevisionCheck } from '../../../store/store.ts';
import { createMissingAccount, type DefaultAccountControllerOptions } from './default-account-controller.ts';
import {
  accountOfTokenSecret,
  reconcileSecretsOf,
  type TokenSecretControllerOptions,
} from './token-secret-controller.ts';

export interface AccountTasksOptions extends DefaultAccountControllerOptions, TokenSecretControllerOptions {}

/** Hooks of kinds with which maintenance does the work of the service account controllers. */
export interface AccountHooks {
  readonly namespaces: Pick<StoredResource, 'requeues'>;
  readonly accounts: Pick<StoredResource, 'requeues' | 'reconcile'>;
  readonly secrets: Pick<StoredResource, 'requeues'>;
}

/**
 * Returns hooks for a plane that several processes may have loaded. A write may require work: creating a default
 * account, or issuing the token of a secret. Such a write records a maintenance row of the service account. Therefore
 * only one process does the work, even if the process that made the write ends. `options` is called when the work is
 * done.
 */
export function accountHooks(options: () => AccountTasksOptions): AccountHooks {
  return {
    namespaces: {
      requeues(old, next) {
        if (old !== undefined || next === undefined) return [];
        const { name = '', labels } = next.object.metadata;
        return labels?.[hostOwnerLabel] === undefined ? [accountRef(name, defaultServiceAccount)] : [];
      },
    },
    accounts: {
      requeues(old, next) {
        // A new account needs no work for its secrets, because each secret records its own work.
        if (old === undefined || next !== undefined) return [];
        const { namespace = '', name = '' } = old.object.metadata;
        return [accountRef(namespace, name)];
      },
      async reconcile(namespace, name, fence) {
        await reconcileAccount(options(), namespace, name, fence);
        return undefined;
      },
    },
    secrets: {
      requeues(_old, next) {
        const account = next && accountOfTokenSecret(next.object);
        return account === undefined ? [] : [accountRef(next?.object.metadata.namespace ?? '', account)];
      },
    },
  };
}

/** Creates the account if it is a missing default account, and updates its token secrets. */
async function reconcileAccount(
  options: AccountTasksOptions,
  namespace: string,
  name: string,
  fence: RevisionCheck | undefined,
): Promise<void> {
  if (name === defaultServiceAccount) await createMissingAccount(options, namespace, fence);
  await reconcileSecretsOf(options, namespace, name, fence);
}

function accountRef(namespace: string, name: string): ObjectRef {
  return { resource: resourceKey(serviceAccountKind), namespace, name };
}
