import { type AccessKey, accessKeyKind } from '../../api/management/v1/access-key.ts';
import { userKind } from '../../api/management/v1/user.ts';
import type { Log } from '../../lib/log.ts';
import { isLogin, isRevokedLogin } from '../../management/access-keys/login-keys.ts';
import type { ManagementState } from '../../management/state.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import type { RevisionCheck } from '../../store/store.ts';
import { removeAccessKey } from './remove-access-key.ts';

export interface LoginRemovalsOptions {
  readonly kinds: KindStores;
  readonly state: ManagementState;
  /**
   * Runs work on only one of the servers that share the store. All writes of the work must contain the check `fence`.
   * Returns a function that stops the work. Optional; by default, the work starts immediately.
   */
  runOnOneServer?(start: (fence: RevisionCheck | undefined) => () => Promise<void>): () => Promise<void>;
  readonly log: Log;
}

/**
 * Removes logins on request. Also removes logins that have ended because their user, or the access key that opened
 * them, was changed.
 */
export class LoginRemovals {
  readonly #options: LoginRemovalsOptions;
  readonly #stop: () => Promise<void>;

  constructor(options: LoginRemovalsOptions) {
    this.#options = options;
    const run = options.runOnOneServer ?? ((start) => start(undefined));
    this.#stop = run((fence) => this.#followEnded(fence));
  }

  async remove(login: AccessKey, fence?: RevisionCheck): Promise<void> {
    await removeAccessKey(this.#options.kinds, login, fence);
  }

  /** Resolves when no removal is in progress. */
  close(): Promise<void> {
    return this.#stop();
  }

  /**
   * Deletes the keys of logins as soon as the logins end. The server already rejects such keys, but lists would still
   * contain them. The returned function stops this, and resolves when no removal is in progress.
   */
  #followEnded(fence: RevisionCheck | undefined): () => Promise<void> {
    const { kinds, state, log } = this.#options;
    const inProgress = new Set<Promise<void>>();
    const removeEnded = (keys: Iterable<AccessKey>) => {
      for (const key of keys) {
        if (!isRevokedLogin(key, state)) continue;
        const removal = this.remove(key, fence).catch((error: unknown) => {
          log.warn({ accessKey: key.metadata.name, error }, 'cannot remove an ended login');
        });
        inProgress.add(removal);
        void removal.then(() => inProgress.delete(removal));
      }
    };
    const stops = [
      storeOf(kinds, userKind).listen(({ before, after }) => {
        if (before === undefined || after === undefined) return;
        removeEnded([...state.accessKeysOf('user', after.object.metadata.name ?? '')].filter(isLogin));
      }),
      storeOf(kinds, accessKeyKind).listen(({ before }) => {
        if (before === undefined) return;
        const created = [...state.keysCreatedWith(before.object.metadata.name ?? '')];
        removeEnded(created.map((name) => state.accessKey(name)).filter((key) => key !== undefined));
      }),
    ];
    // Another server may have done this work before, and logins may have ended since it stopped.
    if (fence !== undefined) {
      const all = storeOf(kinds, accessKeyKind).peekAll();
      removeEnded(all.map(({ object }) => object).filter(isLogin));
    }
    return async () => {
      for (const stop of stops) stop();
      await Promise.all(inProgress);
    };
  }
}
