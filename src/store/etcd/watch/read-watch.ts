import { systemClock } from '../../../lib/clock.ts';
import type { EtcdClient } from '../client/etcd-client.ts';
import { EtcdError, grpcStatus } from '../client/etcd-error.ts';
import type { WatchStream } from '../client/member-connection.ts';
import type { WatchRequest, WatchResponse } from '../client/watch-messages.ts';

/** Returns the result of a watch, or `undefined` if more responses are needed. May throw. */
type ResponseReader<T> = (response: WatchResponse) => T | undefined;

/**
 * Opens a watch, and closes it when `newReader()` has returned a result. If the stream fails, opens a new stream with a
 * new reader, until the deadline. Rejects with EtcdError, or with an error of the reader.
 */
export async function readWatch<T>(
  client: EtcdClient,
  request: WatchRequest,
  newReader: () => ResponseReader<T>,
): Promise<T> {
  const deadline = client.newDeadline();
  for (let failures = 1; ; failures++) {
    try {
      return await readOnce(client, request, newReader(), deadline);
    } catch (error) {
      if (!(error instanceof EtcdError) || !error.isTransient || client.isOver(deadline)) throw error;
    }
    await client.pause(failures);
  }
}

async function readOnce<T>(
  client: EtcdClient,
  request: WatchRequest,
  read: ResponseReader<T>,
  deadline: number,
): Promise<T> {
  let stream: WatchStream | undefined;
  let cancelTimer = () => {};
  try {
    return await new Promise<T>((resolve, reject) => {
      const timeout = () => reject(new EtcdError(grpcStatus.deadlineExceeded, 'the history could not be read in time'));
      cancelTimer = systemClock.after(deadline - systemClock.elapsed(), timeout);
      const response = (each: WatchResponse) => {
        try {
          const result = read(each);
          if (result !== undefined) resolve(result);
        } catch (error) {
          reject(error);
        }
      };
      client.watch(request, { response, failed: reject }).then((opened) => {
        stream = opened;
      }, reject);
    });
  } finally {
    cancelTimer();
    stream?.close();
  }
}
