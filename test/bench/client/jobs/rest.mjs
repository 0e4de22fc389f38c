import { setTimeout as sleep } from 'node:timers/promises';
import { measured, processorFigures } from '../measured.mjs';

/** Sends nothing, and measures the CPU time of each second. */
export async function rest(target, { seconds }) {
  const taken = await measured(target, () => sleep(1000 * seconds));
  const { clientCpu: _, ...figures } = processorFigures(taken, taken.seconds);
  return { ...figures, disturbed: taken.disturbed };
}
