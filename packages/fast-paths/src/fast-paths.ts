/** True unless a test has disabled the fast paths. */
let areEnabled = true;

/**
 * Reports whether code that has a plain path and a fast path takes the fast one. The plain path is the specification:
 * both give the same result. This module state is the only internal option of its kind; see docs/decisions/0041.
 */
export function fastPathsEnabled(): boolean {
  return areEnabled;
}

/** For tests only: makes all code take its plain path. Returns a function that restores the previous state. */
export function disableFastPaths(): () => void {
  return setEnabled(false);
}

/** For tests only: makes all code take its fast path, also in a run with plain paths. Returns a restore function. */
export function enableFastPaths(): () => void {
  return setEnabled(true);
}

function setEnabled(isEnabled: boolean): () => void {
  const before = areEnabled;
  areEnabled = isEnabled;
  return () => {
    areEnabled = before;
  };
}
