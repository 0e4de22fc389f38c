import fc from 'fast-check';
import { expect, it } from 'vitest';
import { StatusError } from '../../api/status.ts';
import { ManualClock } from '../../lib/clock.ts';
import { openMemoryStore } from '../../store/memory.ts';
import { openReplicas } from '../../store/replicas.fixture.ts';
import { CustomTestEnv, shipDefinition } from './custom.fixture.ts';

const plurals = ['ships', 'boats', 'rafts'] as const;
const steps = fc.array(
  fc.record({
    replica: fc.nat(2),
    action: fc.constantFrom('define', 'define', 'remove', 'create', 'create'),
    plural: fc.constantFrom(...plurals),
    kind: fc.constantFrom('Ship', 'Boat'),
    isHeld: fc.boolean(),
  }),
  { minLength: 3, maxLength: 15 },
);

const nameOf = (plural: string) => `${plural}.sea.example`;

/** Runs an action. Returns false if the API has refused it. */
async function isAccepted(action: Promise<unknown>): Promise<boolean> {
  try {
    await action;
    return true;
  } catch (error) {
    if (error instanceof StatusError) return false;
    throw error;
  }
}

/** Creates an object if the replica serves its kind. Returns false if it was not created. */
async function isCreated(env: CustomTestEnv, plural: string, name: string): Promise<boolean> {
  if (env.plane.find('sea.example', 'v1', plural) === undefined) return false;
  return await isAccepted(env.create('sea.example', 'v1', plural, { metadata: { name } }, 'default'));
}

it('replicas accept no name twice and leave no object without a definition', { timeout: 60_000 }, async () => {
  let created = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (actions) => {
      const clock = new ManualClock();
      const { replicas } = await openReplicas(
        3,
        (store, index) => CustomTestEnv.open({ store, clock, withoutMaintenance: index > 0 }),
        openMemoryStore({ clock }),
      );
      const envs = replicas.map(({ env }) => env);
      const [owner] = envs;
      if (owner === undefined) throw new Error('three replicas were requested');
      // The clients of all replicas act concurrently.
      await Promise.all(
        replicas.map(async ({ env, gate }, at) => {
          for (const [index, { replica, action, plural, kind, isHeld }] of actions.entries()) {
            if (replica !== at) continue;
            if (isHeld) gate.hold();
            else gate.open();
            if (action === 'define')
              await isAccepted(env.define(shipDefinition({}, { names: { plural, kind } }, plural)));
            else if (action === 'remove') await isAccepted(env.undefine(nameOf(plural)));
            else if (await isCreated(env, plural, `o${index}`)) created++;
          }
        }),
      );
      for (const { gate } of replicas) gate.open();
      for (let pass = 0; pass < 4; pass++) {
        owner.maintenance.wake();
        await owner.maintenance.idle();
        clock.advance(30_000);
      }
      const definitions = plurals.map((plural) => owner.definition(nameOf(plural)));
      const kinds = definitions.flatMap((definition) => definition?.status.acceptedNames?.kind || []);
      expect(new Set(kinds).size).toBe(kinds.length);
      for (const [index, plural] of plurals.entries()) {
        if (definitions[index] === undefined) expect(await owner.rows(nameOf(plural))).toBe(0);
      }
      for (const env of envs) {
        await env.plane.settled?.();
        const served = plurals.filter((plural) => env.plane.find('sea.example', 'v1', plural) !== undefined);
        expect(served).toEqual(
          plurals.filter((plural) =>
            owner.conditions(nameOf(plural)).includes('Established=True InitialNamesAccepted'),
          ),
        );
      }
    }),
    { numRuns: 60 },
  );
  expect(created).toBeGreaterThan(0);
});
