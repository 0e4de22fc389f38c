import type { Change, Observer, Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';

/** A store as one of several servers sees it. Its observers can be delayed and interrupted, like a watch of etcd. */
export interface SharedStoreView {
  readonly store: Store;
  /** Delays changes until the next call of `revision` or `transact`. */
  hold(): void;
  /** Drops the delayed changes and ends all observations, as if etcd had compacted them. */
  expire(): void;
}

/** Returns a view of the store for an additional server. */
export function sharedView(shared: Store): SharedStoreView {
  const observers = new Set<Observer>();
  let isHeld = false;
  let delayed: (() => void)[] = [];
  const deliver = () => {
    for (const run of delayed.splice(0)) run();
  };
  const changes: Partial<Store> = {
    isShared: true,
    async observe(range, since, observer) {
      observers.add(observer);
      const pass = (received: readonly Change[]) => {
        const run = () => {
          if (observers.has(observer)) observer.changes(received);
        };
        if (isHeld) delayed.push(run);
        else run();
      };
      const stop = await shared.observe(range, since, {
        changes: pass,
        ended: (error) => observers.has(observer) && observer.ended(error),
      });
      return () => {
        observers.delete(observer);
        stop();
      };
    },
    async revision(slice) {
      const revision = await shared.revision(slice);
      deliver();
      return revision;
    },
    async transact(transaction) {
      const revisions = await shared.transact(transaction);
      deliver();
      return revisions;
    },
  };
  const store = new Proxy(shared, {
    get(target, name) {
      const own: unknown = Reflect.get(changes, name);
      if (own !== undefined) return own;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return {
    store,
    hold() {
      isHeld = true;
    },
    expire() {
      delayed = [];
      isHeld = false;
      const ended = [...observers];
      observers.clear();
      for (const observer of ended) observer.ended(new StoreError('Expired', 'etcd has compacted the changes'));
    },
  };
}
