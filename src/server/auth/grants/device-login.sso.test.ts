import { textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  deviceCodePath,
  deviceDecisionPath,
  deviceGrantType,
  deviceRequestPath,
  deviceTokenPath,
  userCodeLetters,
} from '../../../api/auth/cli-login.ts';
import { ManualClock } from '../../../lib/clock.ts';
import { groupPath, ServerTestEnv } from '../../server.fixture.ts';
import type { RunningServer } from '../../start-server.ts';
import type { Browser } from '../browser.fixture.ts';
import { password, postForm, signedIn } from './cli-login.fixture.ts';

let bench: ServerTestEnv;
let server: RunningServer;
let clock: ManualClock;
let anna: Browser;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  clock = new ManualClock(Date.now());
  server = await bench.start({}, clock);
  await bench.createObject(server, 'users', 'anna', { password });
  anna = await signedIn(bench, server);
});
afterEach(() => bench.close());

const start = async (client = 'server-7') => await postForm(bench, server, deviceCodePath, { client_id: client });

async function started(): Promise<{ readonly userCode: string; readonly deviceCode: string }> {
  const { code, json, text } = await start();
  expect(code, text).toBe(200);
  return { userCode: textAt(json, 'user_code'), deviceCode: textAt(json, 'device_code') };
}

async function poll(deviceCode: string) {
  clock.advance(5_000);
  return await pollAtOnce(deviceCode);
}

async function pollAtOnce(deviceCode: string) {
  const fields = { grant_type: deviceGrantType, device_code: deviceCode };
  const { code, json } = await postForm(bench, server, deviceTokenPath, fields);
  return { code, error: textAt(json, 'error'), token: textAt(json, 'access_token'), user: textAt(json, 'user') };
}

const look = async (userCode: string, by = anna) =>
  await by.send(deviceRequestPath, { method: 'POST', body: { userCode } });
const decide = async (userCode: string, allow: boolean, by = anna) =>
  await by.send(deviceDecisionPath, { method: 'POST', body: { userCode, allow } });

describe('a login of the command line with a code', () => {
  it('starts with a short code, a long secret and the page of the console', async () => {
    const { json } = await start();
    expect(json).toEqual({
      device_code: expect.stringMatching(/^[A-Z]{8}\.[A-Za-z0-9_-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${server.url}/device`,
      verification_uri_complete: `${server.url}/device?code=${textAt(json, 'user_code')}`,
      expires_in: 600,
      interval: 5,
    });
    expect((await start('not a host')).code).toBe(400);
  });

  it('waits until the user allows it, and then gives a key once', async () => {
    const { userCode, deviceCode } = await started();
    expect(await poll(deviceCode)).toMatchObject({ code: 400, error: 'authorization_pending' });
    const described = await look(userCode.toLowerCase().replace('-', ' '));
    expect([described.code, described.json]).toEqual([
      200,
      expect.objectContaining({ client: 'server-7', address: '127.0.0.1' }),
    ]);
    expect((await decide(userCode, true)).code).toBe(200);
    const { code, token, user } = await poll(deviceCode);
    expect([code, user]).toEqual([200, 'anna']);
    const self = await bench.send(server, `${groupPath}/selves`, { method: 'POST', body: {}, token });
    expect(textAt(self.json, 'status', 'user', 'name')).toBe('anna');
    expect(await poll(deviceCode)).toMatchObject({ code: 400, error: 'expired_token' });
  });

  it('ends if the user denies it, and the decision is final', async () => {
    const { userCode, deviceCode } = await started();
    expect((await decide(userCode, false)).code).toBe(200);
    expect((await decide(userCode, true)).code).toBe(400);
    expect((await look(userCode)).code).toBe(400);
    expect(await poll(deviceCode)).toMatchObject({ code: 400, error: 'access_denied' });
    expect(await poll(deviceCode)).toMatchObject({ error: 'expired_token' });
  });

  it('expires after ten minutes', async () => {
    const { userCode, deviceCode } = await started();
    clock.advance(600_000);
    expect(await poll(deviceCode)).toMatchObject({ error: 'expired_token' });
    expect((await decide(userCode, true)).code).toBe(400);
  });

  it('belongs to the user who allowed it first', async () => {
    await bench.createObject(server, 'users', 'bob', { password });
    const bob = await signedIn(bench, server, 'bob');
    const { userCode, deviceCode } = await started();
    expect((await decide(userCode, true, bob)).code).toBe(200);
    expect((await decide(userCode, true)).code).toBe(400);
    expect(await poll(deviceCode)).toMatchObject({ code: 200, user: 'bob' });
  });

  it('is given only to the one who knows the secret', async () => {
    const [one, other] = [await started(), await started()];
    await decide(one.userCode, true);
    const [code] = one.deviceCode.split('.');
    const [, secret] = other.deviceCode.split('.');
    for (const guess of [`${code}.${secret}`, `${code}.`, `${code}`, one.userCode])
      expect(await poll(guess)).toMatchObject({ code: 400, error: 'expired_token', token: '' });
    expect(await poll(one.deviceCode)).toMatchObject({ code: 200 });
  });

  it('is slowed down if the command line polls too often', async () => {
    const { deviceCode } = await started();
    await poll(deviceCode);
    expect(await pollAtOnce(deviceCode)).toMatchObject({ code: 400, error: 'slow_down' });
    expect(await poll(deviceCode)).toMatchObject({ error: 'authorization_pending' });
  });

  it('is refused if the session of the user ends first', async () => {
    const { userCode, deviceCode } = await started();
    await decide(userCode, true);
    await anna.signOut();
    expect(await poll(deviceCode)).toMatchObject({ code: 400, error: 'invalid_grant', token: '' });
  });

  it('makes a session wait that guesses codes, also if it knows one of its own', async () => {
    const { userCode } = await started();
    const codes = [];
    for (let index = 0; index < 8; index++) {
      codes.push((await decide(`BBBB-BBB${userCodeLetters[index]}`, true)).code);
      if (index < 5) expect((await look(userCode)).code).toBe(200);
    }
    expect(codes.filter((code) => code === 400)).toHaveLength(6);
    expect(codes.at(-1)).toBe(429);
  });

  it('cannot be started without end by one source', async () => {
    for (let index = 0; index < 20; index++) await started();
    expect((await start()).code).toBe(429);
  });

  it('cannot be allowed with an access key, or by a page of another origin', async () => {
    const { userCode, deviceCode } = await started();
    const body = { userCode, allow: true };
    expect((await bench.send(server, deviceDecisionPath, { method: 'POST', body })).code).toBe(403);
    const foreign = await anna.send(deviceDecisionPath, { method: 'POST', body }, { origin: 'https://evil.example' });
    expect(foreign.code).toBe(403);
    expect(await poll(deviceCode)).toMatchObject({ error: 'authorization_pending' });
  });

  it('is audited with the user, the host and its address, without codes', async () => {
    const { userCode, deviceCode } = await started();
    await decide(userCode, true);
    await poll(deviceCode);
    const log = await bench.read('audit.log');
    expect(log).toContain('allows a login of the command line on \\"server-7\\" at 127.0.0.1');
    expect(log).toContain('login of the command line on \\"server-7\\", which \\"anna\\" allowed');
    for (const secret of [userCode, deviceCode]) expect(log).not.toContain(secret);
  });
});
