import type { ServingProcess } from '../harness/flotilla-process.ts';
import { eventually } from './eventually.ts';

/** For `startFlotilla`: the server can then be asked for its live heap. */
export const heapReporting = ['--expose-gc', '--import', new URL('./report-heap.mjs', import.meta.url).href] as const;

/** How many bytes of its heap the server needs: what is in use when its collector has just run. */
export async function liveHeap(server: Pick<ServingProcess, 'pid' | 'output'>): Promise<number> {
  const reports = () => [...server.output().matchAll(/^live heap (\d+)$/gm)].map(([, bytes]) => Number(bytes));
  const before = reports().length;
  process.kill(server.pid, 'SIGUSR2');
  const seen = await eventually(30, reports, ({ length }) => length > before);
  return seen.at(-1) ?? Number.NaN;
}
