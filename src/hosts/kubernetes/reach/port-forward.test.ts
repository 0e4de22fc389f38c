import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManualClock, systemClock } from '../../../lib/clock.ts';
import { ApiServerTestEnv } from './api-server.fixture.ts';
import { type ForwardedPorts, forwardPorts } from './forwarded-port.fixture.ts';
import { connectToHost, type HostConnection } from './host-connection.ts';

let bench: ApiServerTestEnv;
let pod: Server;
let onConnection: (socket: Socket) => void;
let ports: ForwardedPorts;
let host: HostConnection;

beforeEach(async () => {
  bench = await ApiServerTestEnv.start();
  onConnection = echo;
  pod = createServer({ allowHalfOpen: false }, (socket) => {
    socket.on('error', () => {});
    onConnection(socket);
  });
  pod.listen(0, '127.0.0.1');
  await once(pod, 'listening');
  const { port } = pod.address() as AddressInfo;
  ports = forwardPorts(bench, (name) => (name === 'a-0' ? port : undefined));
  host = connectToHost({ ...bench.kubeconfig, token: 'sesame' }, { clock: systemClock });
});

afterEach(async () => {
  await host.close();
  await bench.close();
  pod.close();
});

const never = new AbortController().signal;
const forward = (name = 'a-0', signal = never) => host.forward({ namespace: 'ns', name, port: 8443 }, signal);
const echo = (socket: Socket) => void socket.pipe(socket);

/**
 * Waits until every buffer on the route is full. All programs on the route run in this process, so a transfer is
 * blocked if it makes no progress during many round trips over another stream.
 */
async function untilBlocked(progress: () => number): Promise<void> {
  const probe = await forward();
  for (let before = -1; before !== progress(); ) {
    before = progress();
    for (let roundTrip = 0; roundTrip < 50; roundTrip++) {
      probe.write('x');
      await once(probe, 'data');
    }
  }
  probe.destroy();
}

test('bytes of any length arrive unchanged and in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 200_000 }), { maxLength: 8 }),
      async (chunks) => {
        const stream = await forward();
        const sent = Buffer.concat(chunks);
        const received: Buffer[] = [];
        let length = 0;
        for (const chunk of chunks) stream.write(chunk);
        if (sent.length > 0) {
          for await (const chunk of stream) {
            received.push(chunk as Buffer);
            length += (chunk as Buffer).length;
            if (length >= sent.length) break;
          }
        } else stream.destroy();
        expect(Buffer.concat(received).equals(sent)).toBe(true);
      },
    ),
    { numRuns: 25 },
  );
  expect(bench.last).toMatchObject({
    url: '/api/v1/namespaces/ns/pods/a-0/portforward?ports=8443',
    headers: { authorization: 'Bearer sesame', 'sec-websocket-protocol': 'v4.channel.k8s.io' },
  });
});

test('the last bytes of the pod are read before the stream ends', async () => {
  onConnection = (socket) => socket.end('good bye');
  const stream = await forward();
  expect(String(await buffer(stream))).toBe('good bye');
  stream.end();
  await (stream.closed ? undefined : once(stream, 'close'));
});

test('a writer to a pod that closed still reads its last bytes', async () => {
  const said = Buffer.alloc(300_000, 'x');
  onConnection = (socket) => socket.end(said);
  const stream = await forward();
  await once(stream, 'readable');
  // The data is small enough to arrive completely before the stream ends.
  const received: Buffer[] = [];
  let length = 0;
  while (ports.open.size > 0 || length === 0) {
    const chunk = stream.read(1) as Buffer | null;
    if (chunk !== null) length += received.push(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  stream.write('are you there?');
  await new Promise((resolve) => setImmediate(resolve));
  const rest = await buffer(stream);
  expect(Buffer.concat([...received, rest]).equals(said)).toBe(true);
  stream.end('and now?');
  await (stream.closed ? undefined : once(stream, 'close'));
});

test('a response that is not read applies backpressure to the pod', async () => {
  let written = 0;
  onConnection = (socket) => {
    onConnection = echo;
    const chunk = Buffer.alloc(64 * 1024);
    const fill = () => {
      do written += chunk.length;
      while (socket.write(chunk) && written < 256 * 1024 * 1024);
      socket.once('drain', fill);
    };
    fill();
  };
  const stream = await forward();
  await once(stream, 'readable');
  await untilBlocked(() => written);
  const blockedAt = written;
  expect(blockedAt).toBeLessThan(64 * 1024 * 1024);
  stream.resume();
  while (written === blockedAt) await once(stream, 'data');
  stream.destroy();
});

test('a pod that does not read applies backpressure to the writer', async () => {
  const paused = new Promise<Socket>((resolve) => {
    onConnection = (socket) => {
      onConnection = echo;
      resolve(socket.pause());
    };
  });
  const stream = await forward();
  const chunk = Buffer.alloc(1024 * 1024);
  let drained = 0;
  stream.on('drain', () => {
    drained++;
    stream.write(chunk);
  });
  stream.write(chunk);
  await untilBlocked(() => drained);
  expect(drained).toBeLessThan(64);
  expect(stream.writableNeedDrain).toBe(true);
  (await paused).resume();
  await once(stream, 'drain');
  stream.destroy();
});

test('a missing pod is reported with the host’s own error', async () => {
  await expect(forward('b-0')).rejects.toMatchObject({ code: 404, message: 'pods "b-0" not found' });
});

test('a closed port ends the stream with the node’s own message', async () => {
  ports.portOf = () => 1;
  const stream = await forward();
  await expect(buffer(stream)).rejects.toThrow(
    'the connection to the pod ns/a-0 was closed: connect ECONNREFUSED 127.0.0.1:1',
  );
});

test('ending the stream closes the connection to the pod', async () => {
  const connected = once(pod, 'connection');
  const stream = await forward();
  const [socket] = (await connected) as [Socket];
  const closed = once(socket, 'close');
  stream.end();
  await closed;
});

test('closing the connection to the host ends every forwarded port', async () => {
  const stream = await forward();
  const ended = once(stream, 'end');
  stream.resume();
  await host.close();
  await ended;
});

test('an idle connection is kept open and is closed when its node stops responding', async () => {
  const clock = new ManualClock();
  const other = connectToHost({ ...bench.kubeconfig, token: 'sesame' }, { clock });
  const asked = { namespace: 'ns', name: 'a-0', port: 8443 };
  const kept = await other.forward(asked, never);
  kept.resume();
  for (let round = 1; round <= 3; round++) {
    clock.advance(25_000);
    while (ports.pings < round) await new Promise((resolve) => setImmediate(resolve));
    kept.write('x');
    await once(kept, 'data');
  }
  expect(kept.destroyed).toBe(false);
  kept.destroy();
  const { port } = pod.address() as AddressInfo;
  const mute = forwardPorts(bench, () => port, { autoPong: false });
  const lost = await other.forward(asked, never);
  const ending = buffer(lost);
  ending.catch(() => {});
  for (let round = 1; round <= 4; round++) {
    clock.advance(25_000);
    while (mute.pings < round) await new Promise((resolve) => setImmediate(resolve));
  }
  clock.advance(25_000);
  await expect(ending).rejects.toThrow(
    'the connection to the pod ns/a-0 was closed: the node does not respond to pings',
  );
  await other.close();
});

test('the signal aborts a port forward request without a response', async () => {
  bench.onUpgrade = () => {};
  const ending = new AbortController();
  const asked = forward('a-0', ending.signal);
  while (bench.seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
  ending.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
});
