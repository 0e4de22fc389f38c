import type { Feed } from '../../lib/feed.ts';

/** The event emitter of a response. The events are `drain`, `finish` and `close`. */
export interface WritableEvents {
  on(event: string, listener: () => void): unknown;
  once(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
}

/** The response to which the lines of a feed are written. */
export interface FeedTarget {
  readonly response: WritableEvents;
  isGone(): boolean;
  /** Writes bytes. Returns false if the caller must wait for the event `drain` before the next write. */
  write(bytes: Uint8Array): boolean;
}

/**
 * Pending lines are joined up to this many bytes, because one large write takes much less time than many small ones.
 */
const joinedLength = 64 * 1024;

/**
 * Writes the lines of a feed when they become available, but never faster than the client reads. After each full chunk,
 * other work of the event loop runs. Resolves at the end of the feed or when the client disconnects. Rejects with the
 * error that the feed throws.
 */
export function writeFeed(target: FeedTarget, feed: Feed<Uint8Array>): Promise<void> {
  const { response } = target;
  return new Promise((resolve, reject) => {
    let isFull = false;
    const finish = (settle: () => void) => {
      response.off('drain', onDrain);
      response.off('close', onClose);
      settle();
    };
    const onClose = () => finish(resolve);
    const onDrain = () => {
      if (!isFull) return;
      isFull = false;
      go();
    };
    const go = () => {
      if (target.isGone()) return onClose();
      try {
        const bytes = takeJoined(feed);
        if (bytes === undefined) {
          if (feed.isEnded) finish(resolve);
          else feed.wait(go);
        } else if (target.write(bytes)) {
          if (bytes.length < joinedLength && !feed.isEnded) feed.wait(go);
          else setImmediate(go);
        } else isFull = true;
      } catch (error) {
        finish(() => reject(error));
      }
    };
    response.on('drain', onDrain);
    response.on('close', onClose);
    go();
  });
}

function takeJoined(feed: Feed<Uint8Array>): Uint8Array | undefined {
  const first = feed.take();
  if (first === undefined || first.length >= joinedLength) return first;
  const second = feed.take();
  if (second === undefined) return first;
  const lines = [first, second];
  let length = first.length + second.length;
  while (length < joinedLength) {
    const line = feed.take();
    if (line === undefined) break;
    lines.push(line);
    length += line.length;
  }
  return joined(lines, length);
}

interface Joined {
  readonly lines: readonly Uint8Array[];
  readonly bytes: Uint8Array;
}

/**
 * The result of the last join. Watches with the same events are written one after the other, so the next watch can
 * reuse the joined bytes.
 */
let lastJoined: Joined | undefined;

function joined(lines: readonly Uint8Array[], length: number): Uint8Array {
  if (lastJoined?.lines.length === lines.length && lastJoined.lines.every((line, at) => line === lines[at])) {
    return lastJoined.bytes;
  }
  const bytes = Buffer.concat(lines, length);
  lastJoined = { lines, bytes };
  return bytes;
}
