import { textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../lib/clock.ts';
import { maxKeysPerToken } from '../../../management/access-keys/workload-keys.ts';
import { ReplicasTestEnv, type ServerReplica } from '../../replicas.fixture.ts';
import { groupPath, type ParsedResponse } from '../../server.fixture.ts';
import { TestIssuer } from './workload-issuer.fixture.ts';

let issuer: TestIssuer;
let at: ReplicasTestEnv;

beforeEach(async () => {
  issuer = await TestIssuer.start();
  const rule = {
    ...{ name: 'shop', when: 'claims.repository == "acme/shop"', user: 'ci' },
    scope: { rules: [{}] },
  };
  const audiences = ['https://flotilla.example.com'];
  const workloadIdentity = [{ name: 'github', issuer: issuer.url, audiences, rules: [rule] }];
  at = await ReplicasTestEnv.open(systemClock, (server) => server.settings({ auth: { workloadIdentity } }));
  await at.first.bench.createObject(at.first.server, 'users', 'ci');
});
afterEach(async () => {
  await at.close();
  await issuer.close();
});

function present(replica: ServerReplica, token: string): Promise<ParsedResponse> {
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  };
  const type = 'application/x-www-form-urlencoded';
  return replica.send('/auth/token', { method: 'POST', token: '', type, raw: new URLSearchParams(form).toString() });
}

describe('token exchanges with several servers', () => {
  it('give keys that the other server accepts at once', async () => {
    const { first, second } = at;
    for (const [one, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const answer = await present(one, await issuer.sign());
      expect(answer.code, answer.text).toBe(200);
      expect(await other.code(`${groupPath}/projects`, textAt(answer.json, 'access_token'))).toBe(200);
    }
  });

  it('keep the limit of keys per token, also if both servers exchange it at the same time', async () => {
    const { first, second } = at;
    const token = await issuer.sign();
    const attempts = Array.from({ length: 2 * maxKeysPerToken }, (_, index) => (index % 2 === 0 ? first : second));
    const answers = await Promise.all(attempts.map((replica) => present(replica, token)));
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(maxKeysPerToken);
    const names = await first.bench.names(first.server, 'accesskeys');
    expect(names.filter((name) => name.startsWith('workload-'))).toHaveLength(maxKeysPerToken);
  });
});
