import { type ClientHttp2Session, connect } from 'node:http2';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubectlMissing } from '../harness/kubectl.ts';
import { type Edge, openEdge } from '../harness/network/edge.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const sessions = 20;
const watchesPerSession = 50;
const configMaps = '/kubernetes/project/default/virtualcluster/vc/api/v1/namespaces/default/configmaps';

/** An open watch: the received data, and whether it has ended. */
interface Watch {
  seen: string;
  ended: boolean;
}

describeIfAvailable(kubectlMissing, 'a thousand watches at an agent (issue 8)', () => {
  let edge: Edge;
  let token: string;
  const open: ClientHttp2Session[] = [];

  beforeAll(async () => {
    edge = await openEdge();
    await edge.createInstance('vc');
    token = await edge.directToken(edge.server.adminKey);
    await edge.waitForStatus(configMaps, token, 200);
  });
  afterAll(async () => {
    for (const session of open) session.close();
    await edge.close();
  });

  function watch(session: ClientHttp2Session): Watch {
    const state: Watch = { seen: '', ended: false };
    const stream = session.request({ ':path': `${configMaps}?watch=true`, authorization: `Bearer ${token}` });
    stream.setEncoding('utf8').on('data', (text: string) => {
      state.seen += text;
    });
    stream.on('error', () => {});
    stream.on('close', () => {
      state.ended = true;
    });
    stream.end();
    return state;
  }

  async function make(name: string): Promise<void> {
    const made = await edge.request(configMaps, token, 'POST', { metadata: { name } });
    expect(made.code, made.text).toBe(201);
  }

  const all = (watches: readonly Watch[], holds: (watch: Watch) => boolean) =>
    expect.poll(() => watches.filter((each) => !holds(each)).length, { timeout: 60_000, interval: 50 }).toBe(0);

  it('all stay open while the server restarts, and none hangs when the agent restarts', async () => {
    const watches: Watch[] = [];
    for (let index = 0; index < sessions; index++) {
      const session = connect(edge.agent.url, { rejectUnauthorized: false });
      session.on('error', () => {});
      open.push(session);
      for (let count = 0; count < watchesPerSession; count++) watches.push(watch(session));
    }
    await make('first');
    await all(watches, ({ seen }) => seen.includes('"first"'));
    await edge.server.stop('SIGKILL');
    await make('second');
    await all(watches, ({ seen }) => seen.includes('"second"'));
    await edge.startServer();
    await make('third');
    await all(watches, ({ seen }) => seen.includes('"third"'));
    expect(watches.some(({ ended }) => ended)).toBe(false);
    await edge.agent.stop();
    await all(watches, ({ ended }) => ended);
    await edge.startAgent();
    await make('fourth');
  });
});
