/** The part of Node's `process` that handles signals. Tests replace it with an event emitter. */
export interface SignalSource {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  off(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
}

export interface ShutdownSignals {
  /** Resolves at the first SIGTERM or SIGINT. */
  readonly firstSignal: Promise<void>;
  stop(): void;
}

/** Listens for SIGTERM and SIGINT. The first one requests a graceful shutdown, the second one calls `onSecond`. */
export function watchShutdownSignals(source: SignalSource, onSecond: () => void): ShutdownSignals {
  let resolveFirst = (): void => {};
  const first = new Promise<void>((resolve) => {
    resolveFirst = resolve;
  });
  let seen = 0;
  const listener = (): void => {
    seen += 1;
    if (seen === 1) resolveFirst();
    else onSecond();
  };
  source.on('SIGTERM', listener);
  source.on('SIGINT', listener);
  return {
    firstSignal: first,
    stop() {
      source.off('SIGTERM', listener);
      source.off('SIGINT', listener);
    },
  };
}
