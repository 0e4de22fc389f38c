import { listAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { groupPath, mergePatch, ServerTestEnv } from '../server.fixture.ts';
import type { RunningServer } from '../start-server.ts';
import { Browser } from './browser.fixture.ts';

let bench: ServerTestEnv;
let server: RunningServer;
let clock: ManualClock;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  bench.freshLoginSeconds = 15 * 60;
  clock = new ManualClock(Date.now());
  server = await bench.start({}, clock);
  await bench.createObject(server, 'users', 'anna', { password: 'correct horse' });
});
afterEach(() => bench.close());

const account = `${groupPath}/users/anna`;
const keys = `${groupPath}/ownedaccesskeys`;
const newPassword = mergePatch({ spec: { password: 'battery staple' } });

describe('a lasting change', () => {
  it('is refused with a key that is valid for minutes, which then cannot become permanent', async () => {
    const token = await bench.createKey(server, 'brief', { user: 'anna', ttl: 120 });
    const refused = await bench.send(server, account, { ...newPassword, token });
    const causes = listAt(refused.json, 'details', 'causes').map((cause) => textAt(cause, 'reason'));
    expect([refused.code, causes]).toEqual([403, ['FreshLoginRequired']]);
    const longer = await bench.send(server, `${keys}/brief`, { ...mergePatch({ spec: { ttl: 86_400 } }), token });
    expect(longer.code).toBe(403);
    const browser = new Browser(bench, server);
    await browser.signIn({ accessKey: token });
    expect((await browser.send(account, newPassword)).code).toBe(403);
  });

  it('is accepted in a browser that signed in again with the password', async () => {
    const browser = new Browser(bench, server);
    const credentials = { username: 'anna', password: 'correct horse' };
    await browser.signIn(credentials);
    clock.advance(16 * 60_000);
    expect((await browser.send(keys, { method: 'POST', body: { spec: {} } })).code).toBe(403);
    await browser.signIn(credentials);
    expect((await browser.send(keys, { method: 'POST', body: { spec: {} } })).code).toBe(201);
    expect((await browser.send(account, newPassword)).code).toBe(200);
  });
});
