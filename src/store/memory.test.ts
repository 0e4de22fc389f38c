import { expect, it } from 'vitest';
import { openMemoryStore } from './memory.ts';
import { storeSuite } from './store.suite.ts';

storeSuite('memory store', async (options) => openMemoryStore(options));

it('a memory store has the given identity, or a generated one', async () => {
  const given = openMemoryStore({ identity: 'me' });
  const [one, two] = [openMemoryStore(), openMemoryStore()];
  expect(given.identity).toBe('me');
  expect(one.identity).not.toBe(two.identity);
  await Promise.all([given.close(), one.close(), two.close()]);
});
