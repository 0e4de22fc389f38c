import type { Environment } from '../command-call.ts';
import { type Colours, coloursFor } from './colours.ts';

/** What a stream to the user has; a test gives its own. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** The user's side: results go to standard output, everything said about them to standard error. */
export interface Terminal {
  /** A result: what a pipe is to get. */
  print(text: string): void;
  /** A remark: progress, hints, warnings; never part of a result. */
  remark(text: string): void;
  /** Whether somebody reads the results on a screen. */
  readonly printsToScreen: boolean;
  /** Whether somebody reads the remarks on a screen: spinners and lines that are written over are for them alone. */
  readonly remarksToScreen: boolean;
  /** Whether somebody can be asked. */
  readonly asks: boolean;
  readonly width: number;
  readonly colours: Colours;
  readonly remarkColours: Colours;
}

const usualWidth = 80;

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
    // A terminal that does not know its size says 0.
    width: err.columns || usualWidth,
    colours: coloursFor(out.isTTY === true, environment),
    remarkColours: coloursFor(err.isTTY === true, environment),
  };
}
