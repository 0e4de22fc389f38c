import { accessKeyKind } from '../../api/management/v1/access-key.ts';
import { agentUser, replacedKeysAnnotation } from '../../api/naming.ts';
import { StatusError } from '../../api/status.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import type { ManagementState } from '../../management/state.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';

export interface ReplacedKeysOptions {
  readonly kinds: KindStores;
  readonly state: Pick<ManagementState, 'accessKey'>;
}

/**
 * Creates a function that deletes the older access keys of an agent after the agent has used a new key, so that a
 * leaked old key is useless.
 */
export function createReplacedKeyCleanup({ kinds, state }: ReplacedKeysOptions) {
  const keys = storeOf(kinds, accessKeyKind);
  return async (cluster: string, keyName: string): Promise<void> => {
    const replaced = state.accessKey(keyName)?.metadata.annotations?.[replacedKeysAnnotation] ?? '';
    for (const name of replaced.split(',')) {
      const key = state.accessKey(name);
      if (key === undefined || name === keyName || key.spec?.subject !== agentUser(cluster)) continue;
      const preconditions = { uid: key.metadata.uid ?? '' };
      const how = { dryRun: false, gracePeriodSeconds: undefined, propagationPolicy: undefined, preconditions };
      try {
        await keys.verbs.delete(systemContext(''), name, how);
      } catch (error) {
        if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 409)) throw error;
      }
    }
  };
}
