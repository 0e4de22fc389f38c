import { workerData } from 'node:worker_threads';
import { systemClock } from '../../lib/clock.ts';
import { disableMetersInTests } from '../../process/disable-meters-in-tests.ts';
import { type PlaneThreadData, runPlaneThread } from './plane-thread.ts';

// The first file of a worker thread (`process/threads/start-thread.ts`).
disableMetersInTests(process.env);
runPlaneThread(workerData as PlaneThreadData, systemClock);
