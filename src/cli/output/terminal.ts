import type { Environment } from '../environment.ts';
import { type Colors, colorsFor } from './colors.ts';

/** An output stream. Tests replace it. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** The terminal of the user. Results are printed to standard output, all other messages to standard error. */
export interface Terminal {
  /** Prints a result to standard output. */
  print(text: string): void;
  /** Prints progress, hints and warnings to standard error. */
  printToStderr(text: string): void;
  /** True if standard output is a terminal, not a pipe or a file. */
  readonly stdoutIsScreen: boolean;
  /** True if standard error is a terminal. Only a terminal shows spinners and redrawn lines. */
  readonly stderrIsScreen: boolean;
  /** True if standard input and standard error are terminals, so the user can answer a prompt. */
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
    // A terminal of unknown size reports 0 columns.
    width: err.columns || defaultWidth,
    colors: colorsFor(out.isTTY === true, environment),
    stderrColors: colorsFor(err.isTTY === true, environment),
  };
}
