import type { JsonObject } from '@flotilla/json';
import type { TypedObject } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import { backoffDelay } from '../../lib/backoff.ts';
import { CliError, timeoutError } from '../cli-error.ts';
import type { NamedKind } from '../kinds.ts';
import { pause } from '../pause.ts';
import { listObjects, type ObjectScope, objectPath, typedResponse, watchEvents } from './objects.ts';
import type { ServerApi } from './server-api.ts';

const retry = { initialMilliseconds: 200, maxMilliseconds: 5_000 };

export interface FollowOptions extends ObjectScope {
  /** Called for each failed connection attempt. The attempts continue. */
  onConnectionError?(error: unknown): void;
}

/**
 * Yields the current state of an object, then its state after every change; `undefined` if the object does not exist.
 * Reconnects if the stream ends or the server restarts, until the consumer stops or the signal is aborted.
 */
export async function* followObject<Fields extends JsonObject>(
  api: ServerApi,
  kind: NamedKind<Fields>,
  name: string,
  { onConnectionError, ...where }: FollowOptions,
): AsyncGenerator<TypedObject<Fields> | undefined> {
  const only = { fieldSelector: `metadata.name=${name}` };
  const signal = where.signal ?? new AbortController().signal;
  const path = objectPath(api, kind, where);
  let failures = 0;
  for (;;) {
    try {
      const { items, resourceVersion } = await listObjects(api, kind, where, only);
      failures = 0;
      yield items[0];
      for await (const change of watchEvents(api, { path, query: { ...only, resourceVersion }, signal })) {
        if (change.type === 'BOOKMARK') continue;
        yield change.type === 'DELETED' ? undefined : typedResponse(kind, change.object);
      }
    } catch (error) {
      signal.throwIfAborted();
      // Expired history (410), a busy server (429) and server errors (5xx) are temporary. After any other error, a new
      // attempt would fail again.
      const isTemporary =
        !(error instanceof StatusError) || error.code === 410 || error.code === 429 || error.code >= 500;
      if (!isTemporary || !isConnectionError(error)) throw error;
      failures += 1;
      if (failures > 1) onConnectionError?.(error);
    }
    // The pause prevents a tight loop if the server ends every stream immediately.
    await pause(failures === 0 ? retry.initialMilliseconds : backoffDelay(failures, retry), signal);
  }
}

function isConnectionError(error: unknown): boolean {
  return error instanceof StatusError || error instanceof CliError || (error instanceof Error && 'code' in error);
}

/**
 * Calls `use` with a signal that is aborted after the given time, or when `signal` is aborted. On a timeout, throws an
 * error with `timeoutMessage`.
 */
export async function withTimeout<T>(
  milliseconds: number,
  signal: AbortSignal,
  timeoutMessage: () => string,
  use: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error('late')), milliseconds);
  try {
    return await use(AbortSignal.any([signal, limit.signal]));
  } catch (error) {
    if (limit.signal.aborted && !signal.aborted) throw timeoutError(timeoutMessage());
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
