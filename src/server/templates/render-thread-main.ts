import { workerData } from 'node:worker_threads';
import { disableMetersInTests } from '../../process/disable-meters-in-tests.ts';
import { type RenderThreadData, runRenderThread } from './render-thread.ts';

// The first file of the thread that renders templates.
disableMetersInTests(process.env);
runRenderThread(workerData as RenderThreadData);
