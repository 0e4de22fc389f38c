import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { openTunnel } from '../../tunnel/open-tunnel.ts';
import { serveTunnel } from '../../tunnel/serve-tunnel.ts';
import { socketPair } from '../../tunnel/socket-pair.fixture.ts';
import type { TunnelSocket } from '../../tunnel/tunnel-socket.ts';
import type { PeerLocation } from '../peers/open-peers.ts';
import { connectThroughPeers, servePeerTunnel } from './peer-tunnels.ts';
import { Tunnels } from './tunnels.ts';

const never = new AbortController().signal;
const [one, two] = [
  { id: 'one', address: '10.0.0.1:1' },
  { id: 'two', address: '10.0.0.2:1' },
];

let clock: ManualClock;
/** The tunnels of agents to the other replica. */
let tunnels: Tunnels;
/** The agent's ends of the connections. */
let accepted: TunnelSocket[];
/** The replicas to which this replica tries to open tunnels, in the order of the attempts. */
let dialed: string[];
/** The replicas that do not respond, with the functions that end the attempts: with an error, or with a tunnel. */
let silent: Map<string, (error?: Error) => void>;

beforeEach(async () => {
  clock = new ManualClock();
  tunnels = new Tunnels(clock);
  accepted = [];
  dialed = [];
  silent = new Map();
  const [near, far] = await socketPair();
  serveTunnel(far, { accept: () => (connection) => void accepted.push(connection), clock });
  tunnels.add('edge', openTunnel(near, clock));
});
afterEach(() => tunnels.close());

/**
 * Returns a function that connects through these replicas. All replicas except the silent ones have a tunnel to the
 * agent.
 */
function connectThrough(...locations: PeerLocation[]) {
  return connectThroughPeers({
    peers: {
      async openTunnel({ id }) {
        dialed.push(id);
        if (silent.has(id)) {
          const error = await new Promise<Error | undefined>((resolve) => silent.set(id, resolve));
          if (error !== undefined) throw error;
        }
        const [near, far] = await socketPair();
        servePeerTunnel(far, tunnels, { clock, log: silentLog });
        return near;
      },
    },
    listPeers: async () => locations,
    clock,
  });
}

/**
 * Opens a connection through another replica. Returns the connection's end at this replica and its end at the agent.
 */
async function connectionPair(): Promise<{ replica: TunnelSocket; agent: TunnelSocket }> {
  const replica = await connectThrough(one)('edge', never);
  const agent = accepted.at(-1);
  if (replica === undefined || agent === undefined) throw new Error('not connected');
  return { replica, agent };
}

/** Reads until the end of a connection. Returns the text, and the error if the connection has failed before its end. */
function contentOf(connection: TunnelSocket): Promise<{ text: string; error?: unknown }> {
  let text = '';
  connection.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return new Promise((resolve) => {
    connection.once('end', () => resolve({ text }));
    connection.once('error', (error) => resolve({ text, error }));
  });
}

describe('a connection through another replica', () => {
  const directions = [
    { reader: 'replica', writer: 'agent' },
    { reader: 'agent', writer: 'replica' },
  ] as const;

  describe.each(directions)('to which the $writer writes', ({ reader, writer }) => {
    it('ends at the other end after all bytes, and still carries the other direction', async () => {
      const pair = await connectionPair();
      pair[writer].end('request');
      expect(await contentOf(pair[reader])).toEqual({ text: 'request' });
      pair[reader].end('response');
      expect(await contentOf(pair[writer])).toEqual({ text: 'response' });
    });

    it('fails at the other end if it is destroyed before its end', async () => {
      const pair = await connectionPair();
      const read = contentOf(pair[reader]);
      await new Promise((resolve) => pair[writer].write('incomplete', resolve));
      pair[writer].destroy();
      expect((await read).error).toMatchObject({ code: 'ECONNRESET' });
    });
  });
});

describe('connections through several replicas of which one does not respond', () => {
  it('wait only a moment for that replica', async () => {
    silent.set('one', () => {});
    const connecting = connectThrough(one, two)('edge', never);
    await expect.poll(() => dialed).toEqual(['one']);
    clock.advance(299);
    expect(dialed).toEqual(['one']);
    clock.advance(1);
    expect(await connecting).toBeDefined();
    expect(dialed).toEqual(['one', 'two']);
  });

  it('do not try that replica again for five seconds after an attempt has failed', async () => {
    silent.set('one', () => {});
    const connect = connectThrough(one, two);
    const connecting = connect('edge', never);
    await expect.poll(() => dialed).toEqual(['one']);
    silent.get('one')?.(new Error('it did not respond'));
    expect(await connecting).toBeDefined();
    clock.advance(4_999);
    expect(await connect('edge', never)).toBeDefined();
    expect(dialed).toEqual(['one', 'two']);
    silent.delete('one');
    clock.advance(1);
    expect(await connect('edge', never)).toBeDefined();
    expect(dialed).toEqual(['one', 'two', 'one']);
  });

  it('are given up as soon as all replicas have failed or the caller gives up', async () => {
    silent.set('one', () => {});
    const connect = connectThrough(one);
    const ending = new AbortController();
    const refused = expect(connect('edge', ending.signal)).rejects.toThrow('no longer needed');
    await expect.poll(() => dialed).toEqual(['one']);
    ending.abort(new Error('no longer needed'));
    await refused;
    const failing = connect('edge', never);
    silent.get('one')?.(new Error('it did not respond'));
    expect(await failing).toBeUndefined();
    expect(await connect('edge', never)).toBeUndefined();
    expect(dialed).toEqual(['one']);
  });

  it('leave one connection at the agent if several replicas have tunnels to it', async () => {
    silent.set('one', () => {});
    const connecting = connectThrough(one, two)('edge', never);
    await expect.poll(() => dialed).toEqual(['one']);
    clock.advance(300);
    silent.get('one')?.();
    expect(await connecting).toBeDefined();
    await expect.poll(() => accepted.filter(({ destroyed }) => !destroyed).length).toBe(1);
    // By now, the other attempt has been cancelled, or its connection has been destroyed.
    await new Promise(setImmediate);
    expect(accepted.filter(({ destroyed }) => !destroyed)).toHaveLength(1);
  });
});
