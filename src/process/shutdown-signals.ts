/** The part of `process` that this module needs; tests pass an emitter. */
export interface SignalSource {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  off(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
}

export interface ShutdownSignals {
  /** Resolves at the first SIGTERM or SIGINT. */
  readonly firstSignal: Promise<void>;
  stop(): void;
}

/** The first signal requests a graceful shutdown; a second one requests an immediate exit. */
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
