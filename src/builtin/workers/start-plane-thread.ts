import { workerData } from 'node:worker_threads';
import { systemClock } from '../../lib/clock.ts';
import { disableMetersInTests } from '../../process/disable-meters-in-tests.ts';
import { type PlaneThreadData, runPlaneThread } from './plane-thread.ts';

/** Runs the control planes of virtual clusters on this worker thread, with the data that the main thread passed to it. */
export function startPlaneThread(): void {
  disableMetersInTests(process.env);
  runPlaneThread(workerData as PlaneThreadData, systemClock);
}
