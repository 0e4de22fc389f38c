import { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { Clock } from '../../../lib/clock.ts';
import { NoResponseError } from './no-response.ts';

/**
 * The WebSocket subprotocol of Kubernetes for port forwarding. Each message consists of one byte with the channel
 * number, followed by data.
 */
export const portForwardProtocol = 'v4.channel.k8s.io';

const dataChannel = 0;
const errorChannel = 1;
/** The length of the port number at the beginning of each channel, in bytes. */
const prefixLength = 2;
/**
 * Load balancers close idle connections after a minute, and most watches are idle. Pings keep these connections open.
 * Pings also detect a node that has disappeared silently.
 */
const pingIntervalMs = 25_000;
/**
 * The connection is closed after this number of missed pongs. A pong may be late: if a pod reads slowly, the node sends
 * the pong only after the pod has read all earlier data.
 */
const maxMissedPongs = 4;
/** Large enough for a low overhead per message, and small enough not to block other connections. */
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
 * Returns the byte stream to a port of a pod. It has backpressure in both directions. The protocol has no half-close,
 * so ending the writable side ends the whole stream. Errors are NoResponseError with the message of the node.
 */
export function portForward(webSocket: WebSocket, name: string, clock: Clock): Duplex {
  let dataPrefix = prefixLength;
  let errorPrefix = prefixLength;
  let isEnding = false;

  const stream = new Duplex({
    // Keep the writable side open after the pod ends the stream. Otherwise a write of the TLS layer would fail and
    // discard received data that is not yet read.
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
      // Read and discard the remaining messages until the node closes the WebSocket.
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
    // Ignore a write after the node has closed the WebSocket. An error would discard received data that is not yet
    // read.
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
      closeWithReason(`: ${reason}`);
    }
  }

  function closeWithReason(reason: string): void {
    stream.destroy(new NoResponseError('ConnectionEnded', `the connection to ${name} was closed${reason}`));
  }

  // Callers handle the error with their own listeners. Without this listener, the error could end the process.
  stream.on('error', () => {});
  const stopPings = sendPings(webSocket, clock, () => closeWithReason(': the node does not respond to pings'));
  webSocket.on('message', receive);
  webSocket.on('error', () => closeWithReason(''));
  webSocket.once('close', () => {
    stopPings();
    // End the stream after the data that has already arrived.
    if (!stream.destroyed) stream.push(null);
  });
  return stream;
}

/** Sends pings until the returned function is called. Calls `onUnresponsive` if the node does not respond to them. */
function sendPings(webSocket: WebSocket, clock: Clock, onUnresponsive: () => void): () => void {
  let missedPongs = 0;
  let cancelPing = clock.after(pingIntervalMs, ping);
  function ping(): void {
    // If reading is paused, no pongs are received, so missing pongs do not prove that the connection is broken.
    if (missedPongs >= maxMissedPongs && !webSocket.isPaused) {
      onUnresponsive();
      return;
    }
    missedPongs++;
    webSocket.ping();
    cancelPing = clock.after(pingIntervalMs, ping);
  }
  webSocket.on('pong', () => {
    missedPongs = 0;
  });
  return () => cancelPing();
}
