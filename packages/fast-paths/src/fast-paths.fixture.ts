import { afterAll, beforeAll } from 'vitest';
import { disableFastPaths, enableFastPaths } from './fast-paths.ts';

/** Runs the tests of a file or of a `describe` block on the fast paths, even if the test run disables fast paths. */
export function runOnFastPaths(): void {
  let restore = () => {};
  beforeAll(() => {
    restore = enableFastPaths();
  });
  afterAll(() => restore());
}

/**
 * Returns the results of a synchronous function on the plain path and on the fast path. An error becomes its message.
 */
export function onBothPaths<T>(run: () => T): { plain: T | string; fast: T | string } {
  return { plain: outcome(disableFastPaths, run), fast: outcome(enableFastPaths, run) };
}

/** Returns the results of an asynchronous function on the plain path and on the fast path. */
export async function onBothPathsAsync<T>(run: () => Promise<T>): Promise<{ plain: T; fast: T }> {
  return { plain: await during(disableFastPaths, run), fast: await during(enableFastPaths, run) };
}

function outcome<T>(choose: () => () => void, run: () => T): T | string {
  const restore = choose();
  try {
    return run();
  } catch (error) {
    return String(error);
  } finally {
    restore();
  }
}

async function during<T>(choose: () => () => void, run: () => Promise<T>): Promise<T> {
  const restore = choose();
  try {
    return await run();
  } finally {
    restore();
  }
}
