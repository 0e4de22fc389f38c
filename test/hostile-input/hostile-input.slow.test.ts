import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeededRandom } from '../bad-days/seeded-random.ts';
import { type Attack, defineShips, type Evaluator, evaluators } from './evaluators.ts';
import { bestOfThree, cpuTimeOf, slownessFactor } from './measure.ts';
import { openPlaneUnderTest, type PlaneUnderTest } from './plane-under-test.ts';

/**
 * The search time for inputs that take too much CPU time. Every run uses new seeds and prints the first one.
 * `FLOTILLA_HOSTILE_SECONDS=600` searches longer. A failure prints the variables that repeat one input.
 */
const totalSeconds = Number(process.env.FLOTILLA_HOSTILE_SECONDS ?? 20);
const onlySeed = process.env.FLOTILLA_HOSTILE_SEED;
const firstSeed = Number(onlySeed ?? Math.floor(Math.random() * 1e9));
const onlyEvaluator = process.env.FLOTILLA_HOSTILE_EVALUATOR;

/**
 * The acceptable CPU time in milliseconds: per MB of input, for any small input, and for an input of a class that has a
 * fixed budget.
 */
const maxCpuMsPerMB = 100;
const smallInputMs = 100;
const fixedBudgetMs = 150;
/** The maximum CPU time of an input of any size. */
const mostMs = 225;
/** The factor by which a measured CPU time may exceed a limit, because the machine may be busy. */
const tolerance = 2;
/** The number of repeated measurements before the test fails. Other processes can disturb a measurement. */
const attempts = 3;
const sizes = [50_000, 150_000, 400_000, 1_000_000, 3_000_000];

let plane: PlaneUnderTest;
beforeAll(async () => {
  plane = await openPlaneUnderTest();
  await defineShips(plane);
});
afterAll(() => plane.close());

function maxCpuMsOf({ hasFixedBudget = false }: Evaluator, { bytes }: Attack): number {
  const bySize = Math.max(hasFixedBudget ? fixedBudgetMs : smallInputMs, (maxCpuMsPerMB * bytes) / 1e6);
  return tolerance * Math.min(mostMs, bySize);
}

/** Returns the input for a seed. The seed also determines the input size. */
function attackOf(evaluator: Evaluator, seed: number): Attack {
  const random = new SeededRandom(seed);
  return evaluator.attack(random, random.pick(sizes));
}

/**
 * Returns the CPU milliseconds that an input takes. Sends the preparing requests before each measurement, because a
 * measured input may have changed the plane.
 */
async function measure({ requests, run }: Attack): Promise<number> {
  for (const request of requests) await plane.send(request);
  return cpuTimeOf(() => (typeof run === 'function' ? run() : plane.send(run)));
}

/**
 * Returns the CPU milliseconds that an input would take on the reference machine. Returns 0 if already the first
 * measurement is within the limit.
 */
async function costOf(attack: Attack, limit: number): Promise<number> {
  if ((await measure(attack)) <= limit) return 0;
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && least > limit; attempt++) {
    const slowness = await slownessFactor();
    least = Math.min(least, (await bestOfThree(() => measure(attack))) / slowness);
  }
  return least;
}

function reproduction({ name }: Evaluator, seed: number): string {
  return `FLOTILLA_HOSTILE_EVALUATOR='${name}' FLOTILLA_HOSTILE_SEED=${seed} npm run test:slow -- test/hostile-input`;
}

it('an expensive input is found, and a cheap one is not', async () => {
  const busyFor = (milliseconds: number): Attack => ({
    bytes: 1,
    requests: [],
    run() {
      const { user: before } = process.cpuUsage();
      while (process.cpuUsage().user - before < milliseconds * 1000);
    },
  });
  expect(await costOf(busyFor(1), 10)).toBeLessThanOrEqual(10);
  const slowness = await slownessFactor();
  // The work takes ten times the limit, so the check holds even if the machine becomes almost ten times slower during
  // the test.
  expect(await costOf(busyFor(100 * slowness), 10)).toBeGreaterThan(10);
});

describe(`hostile inputs from seed ${firstSeed}`, () => {
  const selected = evaluators.filter(({ name }) => onlyEvaluator === undefined || name === onlyEvaluator);
  const milliseconds = (totalSeconds * 1000) / selected.length;

  it.each(selected.map((evaluator) => [evaluator.name, evaluator] as const))(
    'of the class "%s" are cheap',
    async (_name, evaluator) => {
      const end = performance.now() + milliseconds;
      let inputs = 0;
      for (let seed = firstSeed; inputs === 0 || performance.now() < end; seed++) {
        const attack = attackOf(evaluator, seed);
        const limit = maxCpuMsOf(evaluator, attack);
        const cost = await costOf(attack, limit);
        inputs++;
        const message = `CPU ms for ${attack.bytes} bytes; repeat with: ${reproduction(evaluator, seed)}`;
        expect(cost, message).toBeLessThan(limit);
        if (onlySeed !== undefined) break;
      }
      expect(inputs).toBeGreaterThan(0);
    },
  );
});
