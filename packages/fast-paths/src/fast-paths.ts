/** True unless a test has disabled the fast paths. */
let areEnabled = true;

/**
 * True if code with a plain path and a fast path must use the fast path. The plain path is the specification: both
 * paths return the same result. No other code may have a module-wide switch like this one; see docs/decisions/0041.
 */
export function fastPathsEnabled(): boolean {
  return areEnabled;
}

/** For tests only: disables all fast paths. Returns a function that restores the previous state. */
export function disableFastPaths(): () => void {
  return setEnabled(false);
}

/**
 * For tests only: enables all fast paths, even if the test run disables them. Returns a function that restores the
 * previous state.
 */
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
