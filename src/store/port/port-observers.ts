import type { Log } from '../../lib/log.ts';
import type { Change, Observer } from '../store.ts';
import { StoreError } from '../store-error.ts';
import type { ObservationId } from './store-port.ts';

export interface PortObserversOptions {
  /** Ends an observation at the store. */
  stopObserving(id: ObservationId): void;
  readonly log: Log;
}

/** The observers in this thread of a store in another thread. */
export class PortObservers {
  readonly #options: PortObserversOptions;
  readonly #observers = new Map<ObservationId, Observer>();
  #last = 0;

  constructor(options: PortObserversOptions) {
    this.#options = options;
  }

  /**
   * Starts an observation with a new id and returns the function that stops it. `request` must call `add` and then
   * immediately send the request to the store. After the call of `add`, the observer receives changes.
   */
  async observe(
    observer: Observer,
    request: (id: ObservationId, add: () => void) => Promise<unknown>,
  ): Promise<() => void> {
    const id = ++this.#last;
    const stop = () => {
      if (this.#observers.delete(id)) this.#options.stopObserving(id);
    };
    try {
      await request(id, () => this.#observers.set(id, observer));
      return stop;
    } catch (error) {
      stop();
      throw error;
    }
  }

  /** Passes changes to an observer. If the observer throws, ends its observation. */
  deliver(id: ObservationId, changes: readonly Change[]): void {
    try {
      this.#observers.get(id)?.changes(changes);
    } catch (error) {
      this.#options.log.error({ error }, 'an observer of the store threw an exception; its observation has ended');
      this.#options.stopObserving(id);
      this.end(id, new StoreError('Closed', 'the observer threw an exception'));
    }
  }

  end(id: ObservationId, error: StoreError): void {
    const observer = this.#observers.get(id);
    this.#observers.delete(id);
    try {
      observer?.ended(error);
    } catch (thrown) {
      this.#options.log.error(
        { error: thrown },
        'an observer of the store threw an exception at the end of its observation',
      );
    }
  }

  endAll(error: StoreError): void {
    for (const id of [...this.#observers.keys()]) this.end(id, error);
  }
}
