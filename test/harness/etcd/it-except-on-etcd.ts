import { describe, it } from 'vitest';
import { isEtcdRun } from './worker-etcd.ts';

/** Declares a test that does not apply to the store on etcd. With FLOTILLA_TEST_STORE=etcd, prints `reason` instead. */
export function itExceptOnEtcd(name: string, reason: string, run: () => Promise<void>, timeout?: number): void {
  if (!isEtcdRun) it(name, run, timeout);
  else process.stderr.write(`\nOMITTED on etcd: ${name}: ${reason}\n`);
}

/** Declares a group of tests that `itExceptOnEtcd` declares. On etcd, they print why they are omitted. */
export function describeExceptOnEtcd(name: string, tests: () => void): void {
  // A group without tests would fail.
  if (isEtcdRun) tests();
  else describe(name, tests);
}
