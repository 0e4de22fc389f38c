import { it } from 'vitest';
import { isEtcdRun } from './worker-etcd.ts';

/** Declares a test that does not apply to the store on etcd. With FLOTILLA_TEST_STORE=etcd, prints `reason` instead. */
export function itExceptOnEtcd(name: string, reason: string, run: () => Promise<void>, timeout?: number): void {
  if (!isEtcdRun) it(name, run, timeout);
  else process.stderr.write(`\nOMITTED on etcd: ${name}: ${reason}\n`);
}
