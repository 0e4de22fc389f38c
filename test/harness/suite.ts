import { describe } from 'vitest';

/** A suite that needs a program: without it the suite is skipped, and says so where everybody sees it. */
export function describeWith(missing: string | undefined, name: string, tests: () => void): void {
  if (missing === undefined) {
    describe(name, tests);
    return;
  }
  process.stderr.write(`\nSKIPPED: ${name}: ${missing}\n`);
  describe.skip(`${name} (skipped: ${missing})`, tests);
}
