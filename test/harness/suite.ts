import { describe } from 'vitest';

/**
 * Declares a suite that requires a program. Without the program the suite is skipped, with a visible message on stderr.
 */
export function describeIfAvailable(missing: string | undefined, name: string, tests: () => void): void {
  if (missing === undefined) {
    describe(name, tests);
    return;
  }
  process.stderr.write(`\nSKIPPED: ${name}: ${missing}\n`);
  describe.skip(`${name} (skipped: ${missing})`, tests);
}
