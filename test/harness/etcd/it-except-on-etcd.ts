import { describe, it } from 'vitest';
import { isEtcdRun } from './worker-etcd.ts';

/**
 * Declares a test that does not apply to a store on etcd. With FLOTILLA_TEST_STORE=etcd, the test does not run, and
 * `reason` is printed.
 */
export function itExceptOnEtcd(name: string, reason: string, run: () => Promise<void>, timeout?: number): void {
  if (!isEtcdRun) it(name, run, timeout);
  else process.stderr.write(`\nOMITTED on etcd: ${name}: ${reason}\n`);
}

/** Declares a group that contains only `itExceptOnEtcd` tests. With etcd, the group runs no tests and prints why. */
export function describeExceptOnEtcd(name: string, tests: () => void): void {
  // Vitest fails a group without tests, and with etcd all these tests are left out.
  if (isEtcdRun) tests();
  else describe(name, tests);
}
