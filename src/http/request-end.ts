type Listener = (reason: unknown) => void;

/**
 * The end of a request, from whichever side it comes: its client, its deadline, its caller's right to be here. Hardly
 * any request has somebody who waits for that, so the AbortSignal, which is dear, is made when it is asked for.
 */
export class RequestEnd {
  /** Most have one listener, and need no set for it. Where there are others it came before them. */
  #first: Listener | undefined;
  #others: Set<Listener> | undefined;
  #controller: AbortController | undefined;
  #over = false;
  #reason: unknown;

  get isOver(): boolean {
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

  /** The first one counts. */
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

  /** Calls back when it is over, at once if it is. Returns how to let go. */
  follow(listener: Listener): () => void {
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

/** Who follows a signal, and the one listener that it has for all of them. */
interface Following {
  readonly listeners: Set<Listener>;
  readonly tell: () => void;
}

const followings = new WeakMap<AbortSignal, Following>();

/**
 * Calls back when a signal fires, at once if it has. Returns how to let go, which has to be done: an identity's signal
 * outlives many thousand requests and must not keep anything of them. However many follow one signal, it has one
 * listener, as a signal looks through all of its own to find the one that leaves.
 */
export function followSignal(signal: AbortSignal, listener: Listener): () => void {
  if (signal.aborted) {
    listener(signal.reason);
    return () => {};
  }
  const following = followings.get(signal) ?? startFollowing(signal);
  following.listeners.add(listener);
  return () => {
    if (!following.listeners.delete(listener) || following.listeners.size > 0) return;
    signal.removeEventListener('abort', following.tell);
    followings.delete(signal);
  };
}

function startFollowing(signal: AbortSignal): Following {
  const listeners = new Set<Listener>();
  const tell = () => {
    followings.delete(signal);
    for (const listener of listeners) listener(signal.reason);
    listeners.clear();
  };
  const following = { listeners, tell };
  followings.set(signal, following);
  signal.addEventListener('abort', tell, { once: true });
  return following;
}
