import { exitCodes } from './cli-error.ts';

const terminated = 143;

/**
 * Converts Ctrl-C and SIGTERM into an abort signal. Commands pass the signal to every operation for which they wait.
 */
export interface Interruption {
  /** Aborted by the first Ctrl-C or SIGTERM. The first read of this property installs the signal handlers. */
  readonly signal: AbortSignal;
  /** The exit code for the received signal; `undefined` if no signal was received. */
  readonly exitCode: number | undefined;
  stop(): void;
}

export class InterruptedError extends Error {
  constructor() {
    super('interrupted');
    this.name = 'Interrupted';
  }
}

export function listenForInterruption(): Interruption {
  const controller = new AbortController();
  let listening = false;
  let exitCode: number | undefined;
  const onSignal = (name: NodeJS.Signals): void => {
    const code = name === 'SIGINT' ? exitCodes.interrupted : terminated;
    // A second signal ends the process immediately.
    if (exitCode !== undefined) process.exit(code);
    exitCode = code;
    controller.abort(new InterruptedError());
  };
  return {
    get signal() {
      if (!listening) {
        listening = true;
        process.on('SIGINT', onSignal);
        process.on('SIGTERM', onSignal);
      }
      return controller.signal;
    },
    get exitCode() {
      return exitCode;
    },
    stop() {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
