import type { Measured } from './neighbour.ts';

/** The longest acceptable latencies of a neighbour, in milliseconds. */
export interface Acceptable {
  readonly p99: number;
  readonly worst: number;
}

/**
 * The number of threads that a request passes: client, main thread, worker, main thread, client. Each thread may wait
 * for a processor.
 */
const threadsPerRequest = 5;

/**
 * Describes the late responses to a neighbour; `undefined` if there were none. If other programs keep the machine busy,
 * the acceptable latencies are increased by the measured effect of these programs.
 */
export function lateness(
  { latencies, load: { delay, slowdown } }: Omit<Measured<unknown>, 'result'>,
  acceptable: Acceptable,
): string | undefined {
  const { p99, worst, worstRequest } = latencies;
  const maxP99 = acceptable.p99 * slowdown + threadsPerRequest * delay.p99;
  const maxWorst = acceptable.worst * slowdown + threadsPerRequest * delay.worst;
  if (p99 < maxP99 && worst < maxWorst) return undefined;
  const inMs = (milliseconds: number) => `${milliseconds.toFixed(0)} ms`;
  return `p99 ${inMs(p99)} (limit ${inMs(maxP99)}), worst ${inMs(worst)} (limit ${inMs(maxWorst)}): ${worstRequest}`;
}
