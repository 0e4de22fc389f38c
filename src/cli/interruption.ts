import { exitCodes } from './cli-error.ts';

const terminated = 143;

/** The user's Ctrl-C, or a SIGTERM, as a signal that commands pass on to whatever they wait for. */
export interface Interruption {
  /** Listens from the first time that it is asked for. */
  readonly signal: AbortSignal;
  /** What the program ends with because of it; undefined: nobody interrupted. */
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
    // Who asks twice does not want to wait for anything.
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
