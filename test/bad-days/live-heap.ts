import type { ServingProcess } from '../harness/flotilla-process.ts';
import { eventually } from './eventually.ts';

/** Node.js arguments for `startFlotilla` with which the server reports its live heap. */
export const heapReporting = ['--expose-gc', '--import', new URL('./report-heap.mjs', import.meta.url).href] as const;

/** The bytes of the server's live heap, right after a garbage collection. */
export async function liveHeap(server: Pick<ServingProcess, 'pid' | 'output'>): Promise<number> {
  const reports = () => [...server.output().matchAll(/^live heap (\d+)$/gm)].map(([, bytes]) => Number(bytes));
  const before = reports().length;
  process.kill(server.pid, 'SIGUSR2');
  const seen = await eventually(30, reports, ({ length }) => length > before);
  return seen.at(-1) ?? Number.NaN;
}
