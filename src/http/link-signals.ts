import { setMaxListeners } from 'node:events';

/** A signal made of others, and how to let go of them. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  unlink(): void;
}

/**
 * A signal that fires with the first of these. Unlike AbortSignal.any it lets go of all of them once one has fired, or
 * when it is told to: an identity's signal outlives many thousand requests and must not keep anything of them.
 */
export function linkSignals(...sources: readonly AbortSignal[]): LinkedSignal {
  const controller = new AbortController();
  const unlink = () => {
    for (const source of sources) source.removeEventListener('abort', fire);
  };
  const fire = (event: Event) => {
    unlink();
    controller.abort((event.target as AbortSignal).reason);
  };
  const fired = sources.find((source) => source.aborted);
  if (fired !== undefined) return { signal: fired, unlink };
  // Every request of a key listens on its identity's signal; the warning about many listeners is about something else.
  setMaxListeners(0, ...sources);
  for (const source of sources) source.addEventListener('abort', fire, { once: true });
  return { signal: controller.signal, unlink };
}
