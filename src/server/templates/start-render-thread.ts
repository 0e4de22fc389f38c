import { workerData } from 'node:worker_threads';
import { disableMetersInTests } from '../../process/disable-meters-in-tests.ts';
import { type RenderThreadData, runRenderThread } from './render-thread.ts';

/** Renders templates on this worker thread, with the data that the main thread passed to it. */
export function startRenderThread(): void {
  disableMetersInTests(process.env);
  runRenderThread(workerData as RenderThreadData);
}
