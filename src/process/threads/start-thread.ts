import { Worker } from 'node:worker_threads';
import type { StartThread } from './thread.ts';

/**
 * Returns a function that starts threads with a file of the built program. A thread whose heap exceeds `heapBytes` ends with
 * an error; the process and its other threads continue.
 */
export function threadStarter<Data>(
  file: 'plane-thread.js' | 'render-thread.js',
  heapBytes: number,
): StartThread<Data> {
  return (data, ports, onExit) => {
    const worker = new Worker(new URL(file, import.meta.url), {
      name: file,
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
