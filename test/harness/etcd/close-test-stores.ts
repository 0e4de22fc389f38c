import { afterAll } from 'vitest';
import { closeTestStores } from '../../../src/store/test-store.fixture.ts';
import { isEtcdRun } from './worker-etcd.ts';

/**
 * Closes the connections to etcd after each test file. Tests themselves do not close stores, because memory stores need
 * no closing.
 */
if (isEtcdRun) afterAll(closeTestStores);
