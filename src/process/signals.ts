/** The process's own signals, so far as this file needs them; tests hand in an emitter. */
export interface SignalSource {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  off(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
}

export interface EndSignals {
  /** Resolves at the first SIGTERM or SIGINT. */
  readonly first: Promise<void>;
  stop(): void;
}

/** The first signal asks for an orderly end; whoever sends a second does not want to wait for it. */
export function watchEndSignals(source: SignalSource, onSecond: () => void): EndSignals {
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
    first,
    stop() {
      source.off('SIGTERM', listener);
      source.off('SIGINT', listener);
    },
  };
}
