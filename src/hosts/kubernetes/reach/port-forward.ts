import { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { Clock } from '../../../lib/clock.ts';
import { NoResponseError } from './no-response.ts';

/** Kubernetes' port forwarding over WebSockets: each message is one channel byte followed by data. */
export const portForwardProtocol = 'v4.channel.k8s.io';

const dataChannel = 0;
const errorChannel = 1;
/** Each channel begins with the port number in two bytes. */
const prefixLength = 2;
/**
 * Milliseconds. Load balancers close connections that are idle for a minute, as most watches are. Pings also detect a
 * node that disappeared silently.
 */
const pingIntervalMs = 25_000;
/** A node sends its pong behind data that it still has to deliver to the pod, and the pod may be slow. */
const maxMissedPongs = 4;
/** Large enough to keep the overhead per message low, small enough not to block other connections. */
const maxMessageLength = 64 * 1024;

export interface PodPort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

export function portForwardPath({ namespace, name, port }: PodPort): string {
  const pod = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
  return `${pod}/portforward?ports=${port}`;
}

/**
 * The byte stream of one port of a pod, with backpressure in both directions. The protocol has no half-close: ending
 * the writable side ends both. Errors are NoResponseError with the node's message.
 */
export function portForward(webSocket: WebSocket, name: string, clock: Clock): Duplex {
  let dataPrefix = prefixLength;
  let errorPrefix = prefixLength;
  let isEnding = false;

  const stream = new Duplex({
    // The layer above may still hold data that it has not delivered when it writes again.
    allowHalfOpen: true,
    read() {
      webSocket.resume();
    },
    write(chunk: Buffer, _, done) {
      sendAll([chunk], done);
    },
    writev(chunks, done) {
      sendAll(
        chunks.map(({ chunk }) => chunk as Buffer),
        done,
      );
    },
    final(done) {
      // Remaining messages are consumed until the other side closes.
      isEnding = true;
      webSocket.close();
      webSocket.resume();
      done();
    },
    destroy(error, done) {
      webSocket.terminate();
      done(error);
    },
  });

  function sendAll(chunks: readonly Buffer[], done: (error?: Error | null) => void): void {
    const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    // A write to a side that is gone must not discard what that side sent before: the reader gets it up to its end.
    if (bytes === undefined || webSocket.readyState !== webSocket.OPEN) {
      done();
      return;
    }
    for (let at = 0; at < bytes.length; at += maxMessageLength) {
      const part = bytes.subarray(at, at + maxMessageLength);
      const message = Buffer.allocUnsafe(part.length + 1);
      message[0] = dataChannel;
      part.copy(message, 1);
      const isLast = at + maxMessageLength >= bytes.length;
      webSocket.send(message, { binary: true }, isLast ? done : undefined);
    }
  }

  function receive(data: RawData): void {
    if (isEnding) return;
    const message = data as Buffer;
    const [channel] = message;
    if (channel === dataChannel) {
      const skipped = Math.min(dataPrefix, message.length - 1);
      dataPrefix -= skipped;
      if (message.length > 1 + skipped && !stream.push(message.subarray(1 + skipped))) webSocket.pause();
    } else if (channel === errorChannel) {
      const skipped = Math.min(errorPrefix, message.length - 1);
      errorPrefix -= skipped;
      if (message.length <= 1 + skipped) return;
      const reason = message.toString('utf8', 1 + skipped, 1 + skipped + 500).trim();
      stream.destroy(new NoResponseError('ConnectionEnded', `the connection to ${name} was closed: ${reason}`));
    }
  }

  // Callers handle the error; without a listener it would end the process.
  stream.on('error', () => {});
  let missedPongs = 0;
  let cancelPing = clock.after(pingIntervalMs, ping);
  function ping(): void {
    // While reading is paused, pongs are not seen either.
    if (missedPongs >= maxMissedPongs && !webSocket.isPaused) {
      stream.destroy(
        new NoResponseError(
          'ConnectionEnded',
          `the connection to ${name} was closed: the node does not respond to pings`,
        ),
      );
      return;
    }
    missedPongs++;
    webSocket.ping();
    cancelPing = clock.after(pingIntervalMs, ping);
  }
  webSocket.on('pong', () => {
    missedPongs = 0;
  });
  webSocket.on('message', receive);
  webSocket.on('error', () =>
    stream.destroy(new NoResponseError('ConnectionEnded', `the connection to ${name} was closed`)),
  );
  webSocket.once('close', () => {
    cancelPing();
    // Data that has arrived is still read.
    if (!stream.destroyed) stream.push(null);
  });
  return stream;
}
