import { expect, it } from 'vitest';
import { openMemoryStore } from '../../store/memory.ts';
import { openWidgets } from '../widgets.fixture.ts';

const subjects = Array.from({ length: 40 }, (_, index) => `project-${index}`);

async function guardsWith(guardSecret: string): Promise<string[]> {
  const { kind } = await openWidgets({}, { store: openMemoryStore(), guardSecret });
  const guards = await Promise.all(subjects.map((subject) => kind.takeGuard('instances', subject)));
  return guards.map(({ key }) => key.segments.join('/'));
}

it('processes with the same secret take the same guards', async () => {
  const guards = await guardsWith('secret');
  expect(await guardsWith('secret')).toEqual(guards);
  for (const guard of guards) expect(guard).toMatch(/^guards\/instances\/\d{1,3}$/);
});

it('a tenant who does not know the secret cannot tell which subjects share a guard', async () => {
  const [first, second] = [await guardsWith('one'), await guardsWith('other')];
  const same = first.filter((guard, index) => guard === second[index]);
  // On average, one of 256 guards is equal by chance.
  expect(same.length).toBeLessThan(10);
});
