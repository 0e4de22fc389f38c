import { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { Clock } from '../../lib/clock.ts';
import { NoAnswerError } from './no-answer.ts';

/** The way in which Kubernetes carries ports over WebSockets: one message, one byte of channel, then what goes there. */
export const portForwardProtocol = 'v4.channel.k8s.io';

const dataChannel = 0;
const errorChannel = 1;
/** Each channel begins with the number of the port, in two bytes. */
const prefixLength = 2;
/**
 * Milliseconds. Balancers on the way end connections on which nothing has moved for a minute, as on most watches nothing
 * does; and of a node that is gone without a word nobody else would hear.
 */
const pingEvery = 25_000;
/** A node answers behind what it has still to hand to the pod, and the pod may take its time. */
const mostUnanswered = 4;
/** Enough that a message costs little, little enough that others get their turn. */
const longestMessage = 64 * 1024;

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
 * The bytes of one port of a pod. Reads no faster than it is read, and takes no more than the other side takes. The
 * protocol knows no half of an end: to end writing is to end it all. Errors are NoAnswerError, with what the node says.
 */
export function portForward(webSocket: WebSocket, name: string, clock: Clock): Duplex {
  let dataPrefix = prefixLength;
  let errorPrefix = prefixLength;
  let isEnding = false;

  const stream = new Duplex({
    // What lies on top may still hold what it has not handed on when it writes again.
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
      // Whatever else comes is read, up to the other side's end.
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
    // Who writes to a side that has gone must not lose what that side had said before: the reader comes to its end.
    if (bytes === undefined || webSocket.readyState !== webSocket.OPEN) {
      done();
      return;
    }
    for (let at = 0; at < bytes.length; at += longestMessage) {
      const part = bytes.subarray(at, at + longestMessage);
      const message = Buffer.allocUnsafe(part.length + 1);
      message[0] = dataChannel;
      part.copy(message, 1);
      const isLast = at + longestMessage >= bytes.length;
      webSocket.send(message, { binary: true }, isLast ? done : undefined);
    }
  }

  function take(data: RawData): void {
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
      const words = message.toString('utf8', 1 + skipped, 1 + skipped + 500).trim();
      stream.destroy(new NoAnswerError('ConnectionEnded', `the way to ${name} has ended: ${words}`));
    }
  }

  // Whoever has it in hand hears of it; without anybody it must not end the process.
  stream.on('error', () => {});
  let unanswered = 0;
  let cancelPing = clock.after(pingEvery, ping);
  function ping(): void {
    // Whoever does not read does not see the answers either.
    if (unanswered >= mostUnanswered && !webSocket.isPaused) {
      stream.destroy(new NoAnswerError('ConnectionEnded', `the way to ${name} has ended: nobody answers there`));
      return;
    }
    unanswered++;
    webSocket.ping();
    cancelPing = clock.after(pingEvery, ping);
  }
  webSocket.on('pong', () => {
    unanswered = 0;
  });
  webSocket.on('message', take);
  webSocket.on('error', () => stream.destroy(new NoAnswerError('ConnectionEnded', `the way to ${name} has ended`)));
  webSocket.once('close', () => {
    cancelPing();
    // What has come is still read.
    if (!stream.destroyed) stream.push(null);
  });
  return stream;
}
