import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeIfAvailable } from '../../../../test/harness/suite.ts';
import { ManualClock } from '../../../lib/clock.ts';
import { openSealer } from '../../../seal/open-sealer.ts';
import { EtcdCluster, noEtcd } from '../../../store/etcd/etcd.fixture.ts';
import { openEtcdStore } from '../../../store/etcd/etcd-store.ts';
import { openOidcTestEnv, person } from './oidc.fixture.ts';

let cluster: EtcdCluster;

beforeAll(async () => {
  if (noEtcd === undefined) cluster = await EtcdCluster.start();
});

afterAll(async () => {
  if (noEtcd === undefined) await cluster.stop();
});

describeIfAvailable(noEtcd, 'two replicas over etcd', () => {
  it('create one user for a person who signs in on both at once', async () => {
    const options = { clock: new ManualClock(), sealer: openSealer(randomBytes(32)) };
    const open = async () => {
      const store = await openEtcdStore({ endpoints: cluster.endpoints, prefix: 'identities' });
      return await openOidcTestEnv({ ...options, store });
    };
    const [one, two] = [await open(), await open()];
    const login = (refreshToken: string) => ({ identity: person('s1', { groups: ['devs'] }), refreshToken });
    const opened = await Promise.all([one.signIn(login('a')), two.signIn(login('b')), one.signIn(login('c'))]);
    expect(opened.map(({ owner }) => owner)).toEqual(['s1', 's1', 's1']);
    for (const env of [one, two]) {
      await env.state.caughtUp();
      expect([...env.state.users()].map(({ metadata }) => metadata.name)).toEqual(['admin', 's1']);
      expect(env.state.user('s1')?.status?.identities).toMatchObject([{ state: 'Active', subject: 's1' }]);
      await env.store.close();
    }
  });
});
