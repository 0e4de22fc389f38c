import { afterAll } from 'vitest';
import { closeTestStores } from '../../../src/store/test-store.fixture.ts';
import { isEtcdRun } from './worker-etcd.ts';

/** Ends the connections to etcd after each file. Tests do not close their stores, because memory stores need none. */
if (isEtcdRun) afterAll(closeTestStores);
