import { Worker } from 'node:worker_threads';
import { apiWordVariable } from '../../api/api-word.ts';
import { apiWord } from '../../api/naming.ts';
import type { StartThread } from './thread.ts';

/** The file that contains this code. */
const program = import.meta.url;

/**
 * Returns a function that starts threads with a function of the built program. A thread whose heap exceeds `heapBytes` ends
 * with an error; the process and its other threads continue.
 */
export function threadStarter<Data>(name: 'plane-thread' | 'render-thread', heapBytes: number): StartThread<Data> {
  return (data, ports, onExit) => {
    const { file, argv } = firstFileOf(name);
    const worker = new Worker(file, {
      name,
      argv,
      workerData: data,
      env: { ...process.env, [apiWordVariable]: apiWord },
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

/**
 * If the program is built as a single file, threads start with `bin/thread.js`, which loads the code cache of the
 * single file. Otherwise, each kind of thread has its own file.
 */
function firstFileOf(name: string): { readonly file: URL; readonly argv: string[] } {
  if (program.endsWith('.cjs')) return { file: new URL('../bin/thread.js', program), argv: [name, program] };
  return { file: new URL(`${name}.js`, program), argv: [] };
}
