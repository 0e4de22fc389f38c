import type { Meter } from './meter.ts';

/** A permission check that an expression requests with `authorizer.…check()`. */
export interface AccessCheck {
  /** A non-resource path such as `/healthz`. If it is set, only `path` and `verb` are used. */
  readonly path?: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The service account whose permission is checked. Optional; defaults to the caller. */
  readonly account?: { readonly namespace: string; readonly name: string };
}

export interface AccessDecision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** The context of one evaluation. Functions receive it in addition to their arguments. */
export interface Evaluation {
  readonly meter: Meter;
  /** Decides the permission checks of the variable `authorizer`. Absent if expressions cannot use that variable. */
  readonly checkAccess?: (question: AccessCheck) => AccessDecision;
}
