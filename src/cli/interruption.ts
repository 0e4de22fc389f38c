import { exitCodes } from './cli-error.ts';

const terminated = 143;

/** Ctrl-C or SIGTERM as an abort signal that commands pass to everything they wait for. */
export interface Interruption {
  /** Listens for signals from the first time that it is read. */
  readonly signal: AbortSignal;
  /** The exit code after an interruption; `undefined` if there was none. */
  readonly exitCode: number | undefined;
  stop(): void;
}

export class Interrupted extends Error {
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
    // A user who interrupts twice does not want to wait.
    if (exitCode !== undefined) process.exit(code);
    exitCode = code;
    controller.abort(new Interrupted());
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
