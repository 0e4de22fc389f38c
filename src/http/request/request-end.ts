type Listener = (reason: unknown) => void;

/**
 * Reports the end of a request: the client disconnects, the deadline passes, or the caller's credential becomes
 * invalid. An AbortSignal is expensive and rarely needed, so it is created on first use.
 */
export class RequestEnd {
  /**
   * The first listener. Most requests have only one listener, so the array for further listeners is created when the
   * second one is added. A watch has three listeners; a set for them would need several times as much memory.
   */
  #first: Listener | undefined;
  #others: Listener[] | undefined;
  #controller: AbortController | undefined;
  #over = false;
  #reason: unknown;

  get hasEnded(): boolean {
    return this.#over;
  }

  get reason(): unknown {
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#over) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Ends the request for this reason. Only the first call has an effect. */
  end(reason: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    this.#first?.(reason);
    if (this.#others !== undefined) for (const listener of this.#others) listener(reason);
    this.#first = undefined;
    this.#others = undefined;
  }

  /**
   * Calls the listener when the request ends, or immediately if it has already ended. Returns a function that removes
   * the listener.
   */
  onEnd(listener: Listener): () => void {
    if (this.#over) listener(this.#reason);
    else if (this.#others !== undefined) this.#others.push(listener);
    else if (this.#first === undefined) this.#first = listener;
    else this.#others = [listener];
    return () => this.#remove(listener);
  }

  #remove(listener: Listener): void {
    if (this.#first === listener) this.#first = undefined;
    const index = this.#others?.indexOf(listener) ?? -1;
    // If a listener is removed while `end` notifies the listeners, an empty function replaces it, so the other
    // listeners keep their positions.
    if (index >= 0) this.#others?.splice(index, 1, ...(this.#over ? [() => {}] : []));
  }
}

/** Returns a `RequestEnd` for a request that has only a signal. */
export function endOfSignal(signal: AbortSignal): Pick<RequestEnd, 'hasEnded' | 'onEnd'> {
  return {
    get hasEnded() {
      return signal.aborted;
    },
    onEnd: (listener) => onAbort(signal, listener),
  };
}

/** All listeners of one AbortSignal, and the function that notifies them when the signal aborts. */
interface SignalListeners {
  readonly listeners: Set<Listener>;
  readonly notify: () => void;
}

const listenersBySignal = new WeakMap<AbortSignal, SignalListeners>();

/**
 * Calls the listener when the signal aborts, or immediately if the signal has already aborted. The caller must call the
 * returned function to remove the listener: the signal of an identity lives longer than thousands of requests. Only one
 * listener is registered on the signal itself, because removing a listener from a signal takes time proportional to the
 * number of its listeners.
 */
export function onAbort(signal: AbortSignal, listener: Listener): () => void {
  if (signal.aborted) {
    listener(signal.reason);
    return () => {};
  }
  const entry = listenersBySignal.get(signal) ?? addSignal(signal);
  entry.listeners.add(listener);
  return () => {
    if (!entry.listeners.delete(listener) || entry.listeners.size > 0) return;
    signal.removeEventListener('abort', entry.notify);
    listenersBySignal.delete(signal);
  };
}

function addSignal(signal: AbortSignal): SignalListeners {
  const listeners = new Set<Listener>();
  const notify = () => {
    listenersBySignal.delete(signal);
    for (const listener of listeners) listener(signal.reason);
    listeners.clear();
  };
  const entry = { listeners, notify };
  listenersBySignal.set(signal, entry);
  signal.addEventListener('abort', notify, { once: true });
  return entry;
}
