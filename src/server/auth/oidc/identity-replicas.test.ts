import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { ManualClock } from '../../../lib/clock.ts';
import { openSealer } from '../../../seal/open-sealer.ts';
import { openMemoryStore } from '../../../store/memory.ts';
import { openReplicas } from '../../../store/replicas.fixture.ts';
import { openOidcTestEnv, person } from './oidc.fixture.ts';

it('a person who signs in on several replicas at once gets one user and one refresh key', async () => {
  const clock = new ManualClock();
  const sealer = openSealer(randomBytes(32));
  const shared = openMemoryStore({ clock });
  const { replicas } = await openReplicas(3, (store) => openOidcTestEnv({ store, clock, sealer }), shared);
  for (const { gate } of replicas) gate.hold();
  const opened = await Promise.all(
    [0, 1, 2, 0, 1, 2].map((index) => {
      const login = { identity: person('s1'), refreshToken: `token-${index}` };
      return replicas[index]?.env.signIn(login);
    }),
  );
  for (const { gate } of replicas) gate.open();
  expect(new Set(opened.map((login) => login?.owner))).toEqual(new Set(['s1']));
  for (const { env } of replicas) {
    expect([...env.state.users()].map(({ metadata }) => metadata.name)).toEqual(['admin', 's1']);
    const types = [...env.state.accessKeysOf('user', 's1')].map(({ spec }) => spec?.type ?? '');
    expect(types.filter((type) => type === 'OIDCRefreshToken')).toHaveLength(1);
    expect(types.filter((type) => type === 'Login')).toHaveLength(6);
  }
});

it('people with the same username who sign in on several replicas at once get different users', async () => {
  const clock = new ManualClock();
  const sealer = openSealer(randomBytes(32));
  const shared = openMemoryStore({ clock });
  const { replicas } = await openReplicas(2, (store) => openOidcTestEnv({ store, clock, sealer }), shared);
  for (const { gate } of replicas) gate.hold();
  const opened = await Promise.all(
    replicas.map(({ env }, index) => env.signIn({ identity: person(`s${index}`, { username: 'bob' }) })),
  );
  expect(opened.map(({ owner }) => owner).sort()).toEqual(['bob', 'bob-2']);
});
