import { listAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { totpCode, totpStepAt } from '../../../auth/totp.ts';
import { ManualClock } from '../../../lib/clock.ts';
import { ReplicasTestEnv, type ServerReplica } from '../../replicas.fixture.ts';
import { groupPath } from '../../server.fixture.ts';

const password = 'correct horse battery';

let clock: ManualClock;
let env: ReplicasTestEnv;
beforeEach(async () => {
  clock = new ManualClock(Date.now());
  env = await ReplicasTestEnv.open(clock, (server) =>
    server.settings({ auth: { password: { secondFactor: 'required' } } }),
  );
  await env.first.bench.createObject(env.first.server, 'users', 'anna', { password });
});
afterEach(() => env.close());

const logIn = (replica: ServerReplica, proof = {}, secret = password) =>
  replica.send('/auth/password/login', {
    method: 'POST',
    token: '',
    body: { username: 'anna', password: secret, ...proof },
  });

it('a second factor that one replica starts to set up is completed by another, and a code works at one of them', async () => {
  const { first, second } = env;
  const begun = await logIn(first);
  const causes = listAt(begun.json, 'details', 'causes');
  const field = (name: string) => textAt(causes.find((cause) => textAt(cause, 'field') === name) ?? {}, 'message');
  const code = () => totpCode(field('secret'), totpStepAt(clock.now()));
  const done = await logIn(second, { setup: field('setup'), code: code() });
  expect(done.code, done.text).toBe(201);

  // The replicas do not receive the changes of each other.
  first.gate.hold();
  second.gate.hold();
  for (let round = 0; round < 3; round++) {
    clock.advance(30_000);
    const answers = await Promise.all([logIn(first, { code: code() }), logIn(second, { code: code() })]);
    expect(answers.map((answer) => answer.code).sort()).toEqual([201, 401]);
  }
  const [recovery = ''] = listAt(done.json, 'recoveryCodes').map(String);
  expect((await logIn(second, { code: recovery })).code).toBe(201);
  expect((await logIn(first, { code: recovery })).code).toBe(401);
});

it('a reset link of one replica works at another, and only once', async () => {
  const { first, second } = env;
  const issue = () => first.send(`${groupPath}/users/anna/resetpassword`, { method: 'POST', body: {} });
  const reset = (replica: ServerReplica, token: string, secret: string) =>
    replica.send('/auth/password/reset', { method: 'POST', token: '', body: { token, password: secret } });
  first.gate.hold();
  second.gate.hold();
  const older = textAt((await issue()).json, 'status', 'url').split('#')[1] ?? '';
  const token = textAt((await issue()).json, 'status', 'url').split('#')[1] ?? '';
  expect((await reset(second, older, 'password of the older')).code).toBe(403);
  const answers = await Promise.all([
    reset(first, token, 'password of the first'),
    reset(second, token, 'password of the second'),
  ]);
  expect(answers.map((answer) => answer.code).sort()).toEqual([200, 403]);
  const winner = answers[0]?.code === 200 ? 'first' : 'second';
  expect((await logIn(second, {}, `password of the ${winner}`)).text).toContain('SecondFactorSetupRequired');
});
