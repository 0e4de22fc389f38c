import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
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
/** The tunnels of agents that end at the other replica. */
let tunnels: Tunnels;
/** The ends of connections at the agent. */
let accepted: TunnelSocket[];
/** The replicas to which this one tries to open tunnels, in this order. */
let dialed: string[];
/** The replicas that do not respond, with the functions that fail the attempts. */
let silent: Map<string, (error: Error) => void>;

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

/** Returns the function that connects through these replicas. All except the silent ones have a tunnel to the agent. */
function connectThrough(...locations: PeerLocation[]) {
  return connectThroughPeers({
    peers: {
      async openTunnel({ id }) {
        dialed.push(id);
        if (silent.has(id)) return await new Promise((_, reject) => silent.set(id, reject));
        const [near, far] = await socketPair();
        servePeerTunnel(far, tunnels, clock);
        return near;
      },
    },
    listPeers: async () => locations,
    clock,
  });
}

/** Opens a connection through another replica. Returns its end at this replica and its end at the agent. */
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
