import { cpuMilliseconds } from '../harness/cpu-milliseconds.ts';

/** The CPU milliseconds of the calibration loop on the reference machine, for which the limits are meant. */
const referenceMs = 40;

/** Does a fixed amount of work that resembles the work of evaluators: parses, visits and writes many small values. */
function calibrationLoop(): number {
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => ({ name: `n${index}`, value: index % 7 })));
  let sum = 0;
  for (let round = 0; round < 3; round++) {
    const items = JSON.parse(text) as { name: string; value: number }[];
    const byName = new Map(items.map((item) => [item.name, item]));
    for (const { value } of byName.values()) sum += value;
    sum += JSON.stringify(items).length;
  }
  return sum;
}

export async function cpuTimeOf(work: () => unknown): Promise<number> {
  const before = cpuMilliseconds();
  await work();
  return cpuMilliseconds() - before;
}

/** Returns how many times slower in CPU time this machine is than the reference machine, at least 1. */
export async function slownessFactor(): Promise<number> {
  return Math.max(1, (await bestOfThree(() => cpuTimeOf(calibrationLoop))) / referenceMs);
}

/**
 * The number of calibration loops in `elapsedSlownessFactor`. They take about a second, so interruptions by other
 * programs are included.
 */
const elapsedLoops = 25;

/**
 * Returns how many times slower in elapsed time this machine is than the reference machine, at least 1. Interruptions
 * by other programs are included.
 */
export function elapsedSlownessFactor(): number {
  const began = performance.now();
  for (let count = 0; count < elapsedLoops; count++) calibrationLoop();
  return Math.max(1, (performance.now() - began) / (elapsedLoops * referenceMs));
}

/** Returns the smallest of three measurements. */
export async function bestOfThree(measure: () => Promise<number>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3; attempt++) best = Math.min(best, await measure());
  return best;
}
