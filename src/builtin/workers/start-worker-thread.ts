import { Worker } from 'node:worker_threads';
import type { StartThread } from './plane-workers.ts';

/**
 * Returns a function that starts worker threads of the built program. A thread whose heap exceeds `heapBytes` ends with
 * an error; the process and its other threads continue.
 */
export function startWorkerThreads(heapBytes: number): StartThread {
  return (data, ports, onExit) => {
    const worker = new Worker(new URL('plane-thread.js', import.meta.url), {
      name: 'planes',
      workerData: data,
      transferList: [...ports],
      resourceLimits: { maxOldGenerationSizeMb: Math.ceil(heapBytes / 1024 / 1024) },
    });
    let failure: Error | undefined;
    worker.on('error', (error: Error) => {
      failure = error;
    });
    worker.once('exit', () => onExit(failure));
    return { terminate: () => worker.terminate() };
  };
}
