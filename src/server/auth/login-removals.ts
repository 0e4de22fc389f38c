import { type AccessKey, accessKeyKind } from '../../api/management/v1/access-key.ts';
import { userKind } from '../../api/management/v1/user.ts';
import { StatusError } from '../../api/status.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import type { Log } from '../../lib/log.ts';
import { isLogin, isRevokedLogin } from '../../management/access-keys/login-keys.ts';
import type { ManagementState } from '../../management/state.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';

export interface LoginRemovalsOptions {
  readonly kinds: KindStores;
  readonly state: ManagementState;
  readonly log: Log;
}

/** Removes logins. Also removes logins that ended because their user, or the key that opened them, was changed. */
export class LoginRemovals {
  readonly #options: LoginRemovalsOptions;
  readonly #inProgress = new Set<Promise<void>>();
  readonly #stops: readonly (() => void)[];

  constructor(options: LoginRemovalsOptions) {
    const { kinds, state } = options;
    this.#options = options;
    this.#stops = [
      storeOf(kinds, userKind).listen(({ before, after }) => {
        if (before === undefined || after === undefined) return;
        this.#removeEnded([...state.accessKeysOf('user', after.object.metadata.name ?? '')].filter(isLogin));
      }),
      storeOf(kinds, accessKeyKind).listen(({ before }) => {
        if (before === undefined) return;
        const created = [...state.keysCreatedWith(before.object.metadata.name ?? '')];
        this.#removeEnded(created.map((name) => state.accessKey(name)).filter((key) => key !== undefined));
      }),
    ];
  }

  async remove({ metadata }: AccessKey): Promise<void> {
    const { name = '', uid = '' } = metadata;
    const how = { dryRun: false, gracePeriodSeconds: undefined, propagationPolicy: undefined, preconditions: { uid } };
    try {
      await storeOf(this.#options.kinds, accessKeyKind).verbs.delete(systemContext(''), name, how);
    } catch (error) {
      // 404: the login is already deleted. 409: it is deleted, and a new key has its name.
      if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 409)) throw error;
    }
  }

  /** Resolves when no removal is in progress. */
  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    await Promise.all(this.#inProgress);
  }

  /** Deletes the keys of ended logins. They are already rejected, but lists would still contain them. */
  #removeEnded(keys: Iterable<AccessKey>): void {
    const { state, log } = this.#options;
    for (const key of keys) {
      if (!isRevokedLogin(key, state)) continue;
      const removal = this.remove(key).catch((error: unknown) => {
        log.warn({ accessKey: key.metadata.name, error }, 'cannot remove an ended login');
      });
      this.#inProgress.add(removal);
      void removal.then(() => this.#inProgress.delete(removal));
    }
  }
}
