import type { Environment } from '../command-call.ts';
import { type Colours, coloursFor } from './colours.ts';

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
  remark(text: string): void;
  /** True if standard output is a screen. */
  readonly printsToScreen: boolean;
  /** True if standard error is a screen. Spinners and redrawn lines are for screens only. */
  readonly remarksToScreen: boolean;
  /** True if the user can be prompted. */
  readonly asks: boolean;
  readonly width: number;
  readonly colours: Colours;
  readonly remarkColours: Colours;
}

const defaultWidth = 80;

export function openTerminal(
  streams: { readonly out: OutputStream; readonly err: OutputStream; readonly in: { readonly isTTY?: boolean } },
  environment: Environment,
): Terminal {
  const { out, err } = streams;
  return {
    print: (text) => void out.write(text),
    remark: (text) => void err.write(text),
    printsToScreen: out.isTTY === true,
    remarksToScreen: err.isTTY === true,
    asks: streams.in.isTTY === true && err.isTTY === true,
    // A terminal that does not know its size reports 0.
    width: err.columns || defaultWidth,
    colours: coloursFor(out.isTTY === true, environment),
    remarkColours: coloursFor(err.isTTY === true, environment),
  };
}
