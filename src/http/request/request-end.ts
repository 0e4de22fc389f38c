type Listener = (reason: unknown) => void;

/**
 * The end of a request: its client disconnects, its deadline passes, or its caller's access ends. Hardly any request
 * has a listener for an AbortSignal, which is expensive, so the signal is created on first use.
 */
export class RequestEnd {
  /** Most requests have one listener and need no set. It was added before those in `#others`. */
  #first: Listener | undefined;
  #others: Set<Listener> | undefined;
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

  /** The first call counts; later ones have no effect. */
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

  /** Calls back at the end, immediately if the request has ended. Returns a function that removes the listener. */
  onEnd(listener: Listener): () => void {
    if (this.#over) listener(this.#reason);
    else if (this.#others !== undefined) this.#others.add(listener);
    else if (this.#first === undefined) this.#first = listener;
    else this.#others = new Set([listener]);
    return () => {
      if (this.#first === listener) this.#first = undefined;
      else this.#others?.delete(listener);
    };
  }
}

/** The listeners of a signal, and the one function that the signal itself calls. */
interface SignalListeners {
  readonly listeners: Set<Listener>;
  readonly notify: () => void;
}

const listenersBySignal = new WeakMap<AbortSignal, SignalListeners>();

/**
 * Calls back when a signal aborts, immediately if it has. The caller must call the returned function to remove the
 * listener: an identity's signal outlives many thousand requests and must not retain them. The signal itself gets one
 * listener for all of them, because removing a listener from a signal scans all of its listeners.
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
