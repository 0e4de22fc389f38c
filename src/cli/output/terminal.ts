import type { Environment } from '../environment.ts';
import { type Colors, colorsFor } from './colors.ts';

/** An output stream; tests provide their own. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** The terminal of the user: results go to standard output, everything else to standard error. */
export interface Terminal {
  /** Prints a result to standard output. */
  print(text: string): void;
  /** Prints progress, hints and warnings to standard error. */
  printToStderr(text: string): void;
  /** True if standard output is a screen. */
  readonly stdoutIsScreen: boolean;
  /** True if standard error is a screen. Spinners and redrawn lines are for screens only. */
  readonly stderrIsScreen: boolean;
  /** True if the user can be prompted. */
  readonly canPrompt: boolean;
  readonly width: number;
  readonly colors: Colors;
  readonly stderrColors: Colors;
}

const defaultWidth = 80;

export function openTerminal(
  streams: { readonly out: OutputStream; readonly err: OutputStream; readonly in: { readonly isTTY?: boolean } },
  environment: Environment,
): Terminal {
  const { out, err } = streams;
  return {
    print: (text) => void out.write(text),
    printToStderr: (text) => void err.write(text),
    stdoutIsScreen: out.isTTY === true,
    stderrIsScreen: err.isTTY === true,
    canPrompt: streams.in.isTTY === true && err.isTTY === true,
    // A terminal that does not know its size reports 0.
    width: err.columns || defaultWidth,
    colors: colorsFor(out.isTTY === true, environment),
    stderrColors: colorsFor(err.isTTY === true, environment),
  };
}
