import { type JsonObject, listAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { programVersion } from '../../lib/program-version.ts';
import { groupPath, ServerTestEnv } from '../server.fixture.ts';
import type { RunningServer } from '../start-server.ts';

let clock: ManualClock;
let bench: ServerTestEnv;
let server: RunningServer;
let key: string;
beforeEach(async () => {
  clock = new ManualClock();
  bench = await ServerTestEnv.open();
  server = await bench.start({}, clock);
  await bench.createObject(server, 'clusters', 'edge', { networkPeer: true });
  const made = await bench.send(server, `${groupPath}/clusters/edge/accesskey`, { method: 'POST', body: {} });
  key = textAt(made.json, 'accessKey');
});
afterEach(() => bench.close());

const cluster = async () => (await bench.send(server, `${groupPath}/clusters/edge`)).json;
const agent = async () => (listAt(await cluster(), 'status', 'agents')[0] ?? {}) as JsonObject;

async function announce(version: string): Promise<void> {
  const body: JsonObject = { url: 'https://127.0.0.1:1', authority: '', credential: 'c', host: 'built-in', version };
  const answer = await bench.send(server, '/kubernetes/agent/edge/announcement', { method: 'PUT', token: key, body });
  expect(answer.code, answer.text).toBe(200);
}

/** Opens the policy feed. Returns a function that closes it. */
async function openFeed(): Promise<() => void> {
  const { body, statusCode } = await bench.request(server, '/kubernetes/agent/edge/policy', { token: key });
  expect(statusCode).toBe(200);
  body.on('error', () => {});
  body.resume();
  return () => void body.destroy();
}

/** Advances the clock until the status of the agent contains these values. */
const waitFor = (shown: JsonObject) =>
  expect
    .poll(
      async () => {
        clock.advance(500);
        return await agent();
      },
      { timeout: 20_000 },
    )
    .toMatchObject(shown);

describe('the status of a cluster with an agent', () => {
  it('shows whether the agent is connected, its version and a newer version of the server', async () => {
    const close = await openFeed();
    await waitFor({ connected: true });
    await announce('0.0.9');
    await waitFor({ version: '0.0.9', upgradeAvailable: programVersion });
    await announce(programVersion);
    await waitFor({ version: programVersion });
    expect(await agent()).not.toHaveProperty('upgradeAvailable');
    await announce('<b>1</b>');
    close();
    await waitFor({ connected: false });
    expect(Date.parse(textAt(await agent(), 'lastSeen'))).toBeLessThanOrEqual(clock.now());
  });

  it('is written rarely, also if the agent reconnects all the time', async () => {
    const revision = async () => textAt(await cluster(), 'metadata', 'resourceVersion');
    (await openFeed())();
    await waitFor({ connected: false });
    const seen = new Set([await revision()]);
    for (let round = 0; round < 20; round++) {
      (await openFeed())();
      seen.add(await revision());
    }
    expect(seen.size).toBeLessThanOrEqual(4);
  });

  it('shows that the agent is not connected some minutes after it was lost together with the server', async () => {
    await openFeed();
    await waitFor({ connected: true });
    const { lastSeen } = await agent();
    await bench.stop(server);
    // The agent does not reconnect to the new server.
    server = await bench.start({}, clock);
    expect(await agent()).toMatchObject({ connected: true, lastSeen });
    clock.advance(5 * 60_000);
    expect(await agent()).toMatchObject({ connected: true });
    clock.advance(8 * 60_000);
    await expect.poll(agent, { timeout: 10_000 }).toMatchObject({ connected: false, lastSeen });
  });
});
