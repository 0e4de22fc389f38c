import { textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useHeader } from '../api/use-header.ts';
import { ManualClock } from '../lib/clock.ts';
import { Browser, type HeaderChanges } from './auth/browser.fixture.ts';
import { inPhase, instancesOf, waitForInstance } from './instances.fixture.ts';
import { type RequestOptions, ServerTestEnv } from './server.fixture.ts';
import type { RunningServer } from './start-server.ts';

const inside = '/kubernetes/project/default/virtualcluster/demo';
const configMaps = `${inside}/api/v1/namespaces/default/configmaps`;

let bench: ServerTestEnv;
let server: RunningServer;
let clock: ManualClock;
let browser: Browser;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  clock = new ManualClock(Date.now());
  server = await bench.start({}, clock);
  browser = new Browser(bench, server);
  await browser.signIn({ accessKey: await bench.adminKey() });
  const annotations = { 'sleepmode.platform.sh/sleep-after': '60' };
  const body = { metadata: { name: 'demo', annotations }, spec: {} };
  expect((await bench.send(server, instancesOf('default'), { method: 'POST', body })).code).toBe(201);
  await until('Ready');
});
afterEach(() => bench.close());

const until = (phase: string) => waitForInstance(bench, server, { name: 'demo' }, inPhase(phase));
const visit = async (path: string, call: Omit<RequestOptions, 'token'> = {}, changes: HeaderChanges = {}) =>
  await browser.send(path, call, changes);
const review = {
  method: 'POST',
  body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace: 'default' } },
};

describe('viewing a virtual cluster in the console', () => {
  it('does not count as a use, so the virtual cluster falls asleep on time (completions §3)', async () => {
    for (let step = 0; step < 5; step += 1) {
      clock.advance(10_000);
      for (const path of ['/version', '/apis', '/openapi/v3', '/api/v1/namespaces', '/api/v1/namespaces/default'])
        expect((await visit(`${inside}${path}`)).code).toBe(200);
      expect((await visit(configMaps)).code).toBe(200);
      const reviewed = await visit(`${inside}/apis/authorization.k8s.io/v1/selfsubjectrulesreviews`, review);
      expect(reviewed.code, reviewed.text).toBe(201);
    }
    const lastView = clock.now();
    clock.advance(11_000);
    // With several servers, a server first waits until the others have had time to report uses.
    const phase = async () => {
      clock.advance(1_000);
      return textAt((await bench.send(server, `${instancesOf('default')}/demo`)).json, 'status', 'phase');
    };
    await expect.poll(phase, { timeout: 10_000, interval: 100 }).toBe('Sleeping');
    // The time is less than the 60 seconds for which a view would keep the virtual cluster awake if it counted as a
    // use.
    expect(clock.now() - lastView).toBeLessThan(40_000);
  });

  it('does not wake it; the Wake button does', async () => {
    clock.advance(61_000);
    await until('Sleeping');
    const viewed = await visit(configMaps);
    expect([viewed.code, viewed.text]).toEqual([503, expect.stringContaining('does not wake it')]);
    expect((await visit(`${inside}/version`, {}, { [useHeader.toLowerCase()]: '1' })).code).toBe(200);
    await until('Ready');
  });

  it('is not a way to use it unnoticed: changes, and requests with a token or without proof of origin, count', async () => {
    const created = { metadata: { name: 'x' } };
    const token = await bench.adminKey();
    const uses: readonly (() => Promise<{ readonly code: number }>)[] = [
      () => visit(configMaps, { method: 'POST', body: created }),
      // A program that sends the headers of a page with its token.
      () => bench.send(server, configMaps, { token }),
      () => visit(configMaps, {}, { authorization: `Bearer ${token}`, cookie: null }),
    ];
    for (const use of uses) {
      clock.advance(40_000);
      expect((await use()).code).toBeLessThan(300);
    }
    const { json } = await bench.send(server, `${instancesOf('default')}/demo`);
    expect(textAt(json, 'status', 'phase')).toBe('Ready');
    // A cookie without proof that a page sent the request is rejected before the gateway.
    expect((await visit(configMaps, {}, { 'x-flotilla-console': null })).code).toBe(403);
    clock.advance(61_000);
    await until('Sleeping');
  });
});
