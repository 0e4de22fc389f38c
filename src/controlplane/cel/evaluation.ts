import type { Meter } from './meter.ts';

/** Whether something may be done, asked by `authorizer.…check()`. */
export interface AccessQuestion {
  /** With it, the rest but `verb` says nothing. */
  readonly path?: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The service account that is asked about instead of the caller. */
  readonly account?: { readonly namespace: string; readonly name: string };
}

export interface AccessAnswer {
  readonly allowed: boolean;
  readonly reason: string;
}

/** One run of one expression: what functions may use besides their arguments. */
export interface Evaluation {
  readonly meter: Meter;
  /** Answers what `authorizer` asks; there where that can be named. */
  readonly access?: (question: AccessQuestion) => AccessAnswer;
}
