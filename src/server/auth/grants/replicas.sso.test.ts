import { textAt } from '@flotilla/json';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  deviceCodePath,
  deviceDecisionPath,
  deviceGrantType,
  deviceTokenPath,
  renewLoginPath,
} from '../../../api/auth/cli-login.ts';
import { generateAccessKey } from '../../../auth/access-key-format.ts';
import { ManualClock } from '../../../lib/clock.ts';
import { ReplicasTestEnv, type ServerReplica } from '../../replicas.fixture.ts';
import { groupPath } from '../../server.fixture.ts';
import { Browser } from '../browser.fixture.ts';
import { allowRedirect, exchangeCode, newRedirectLogin, postForm } from './cli-login.fixture.ts';

let at: ReplicasTestEnv;
let first: ServerReplica;
let second: ServerReplica;
beforeEach(async () => {
  at = await ReplicasTestEnv.open(new ManualClock());
  ({ first, second } = at);
});
afterEach(() => at.close());

async function signedInAt({ bench, server }: ServerReplica): Promise<Browser> {
  const browser = new Browser(bench, server);
  await browser.signIn({ accessKey: await bench.adminKey() });
  return browser;
}

it('a login of the command line can be allowed at one replica and finished at another, which receives changes late', async () => {
  second.gate.hold();
  const browser = await signedInAt(first);
  const { verifier, consent } = newRedirectLogin();
  const code = await allowRedirect(browser, consent);
  const { json } = await exchangeCode(second.bench, second.server, { code, verifier });
  expect(textAt(json, 'user')).toBe('admin');
  expect(await first.code(`${groupPath}/projects`, textAt(json, 'access_token'))).toBe(200);
  const again = await exchangeCode(first.bench, first.server, { code, verifier });
  expect(textAt(again.json, 'error')).toBe('invalid_grant');
});

it('a login with a code can be started, allowed and polled at different replicas, and ends in one key', async () => {
  const post = ({ bench, server }: ServerReplica, path: string, fields: Record<string, string>) =>
    postForm(bench, server, path, fields);
  const started = await post(first, deviceCodePath, { client_id: 'server-7' });
  const browser = await signedInAt(second);
  const body = { userCode: textAt(started.json, 'user_code'), allow: true };
  expect((await browser.send(deviceDecisionPath, { method: 'POST', body })).code).toBe(200);
  const form = { grant_type: deviceGrantType, device_code: textAt(started.json, 'device_code') };
  const answers = await Promise.all([first, second].map((replica) => post(replica, deviceTokenPath, form)));
  expect(answers.map(({ code }) => code).sort()).toEqual([200, 400]);
  const refused = answers.find(({ code }) => code === 400);
  expect(textAt(refused?.json, 'error')).toBe('expired_token');
});

it('a login of the command line is renewed once if two replicas are asked at the same time', async () => {
  const browser = await signedInAt(first);
  const { verifier, consent } = newRedirectLogin();
  const { json } = await exchangeCode(first.bench, first.server, {
    ...{ code: await allowRedirect(browser, consent), verifier },
  });
  const token = textAt(json, 'access_token');
  const values = [generateAccessKey(), generateAccessKey()] as const;
  const renew = ({ bench, server }: ServerReplica, accessKey: string) =>
    bench.send(server, renewLoginPath, { method: 'POST', token, body: { accessKey } });
  const answers = await Promise.all([renew(first, values[0]), renew(second, values[1])]);
  expect(answers.map(({ code }) => code).sort()).toEqual([200, 401]);
  const winner = values[answers.findIndex(({ code }) => code === 200)] ?? '';
  for (const replica of [first, second]) {
    expect(await replica.code(`${groupPath}/projects`, winner)).toBe(200);
    expect(await replica.code(`${groupPath}/projects`, token)).toBe(401);
  }
});
