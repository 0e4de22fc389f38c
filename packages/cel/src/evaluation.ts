import type { Meter } from './meter.ts';

/** An access check by `authorizer.…check()`. */
export interface AccessCheck {
  /** A non-resource path. If it is set, only `verb` applies besides it. */
  readonly path?: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The service account to check instead of the caller. */
  readonly account?: { readonly namespace: string; readonly name: string };
}

export interface AccessDecision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** The context of one evaluation, which functions may use besides their arguments. */
export interface Evaluation {
  readonly meter: Meter;
  /** Decides the access checks of `authorizer`; set if that variable is available. */
  readonly checkAccess?: (question: AccessCheck) => AccessDecision;
}
