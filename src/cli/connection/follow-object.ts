import type { KubeObject } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import { backoffDelay } from '../../lib/backoff.ts';
import { CliError, timeoutError } from '../cli-error.ts';
import type { NamedKind } from '../kinds.ts';
import { pause } from '../pause.ts';
import { listObjects, objectPath, type Where, watchChanges } from './objects.ts';
import type { ServerApi } from './server-api.ts';

const retry = { firstMilliseconds: 200, longestMilliseconds: 5_000 };

export interface FollowOptions extends Where {
  /** Told when the server cannot be reached for a while; following goes on. */
  onTrouble?(error: unknown): void;
}

/**
 * One object as it is and as it changes; undefined when it is not there. Goes on over streams that end and servers that
 * start again, until whoever follows has seen enough or the signal fires.
 */
export async function* followObject(
  api: ServerApi,
  kind: NamedKind,
  name: string,
  { onTrouble, ...where }: FollowOptions,
): AsyncGenerator<KubeObject | undefined> {
  const only = { fieldSelector: `metadata.name=${name}` };
  const signal = where.signal ?? new AbortController().signal;
  const path = objectPath(api, kind, where);
  let failures = 0;
  for (;;) {
    try {
      const { items, resourceVersion } = await listObjects(api, kind, where, only);
      failures = 0;
      yield items[0];
      for await (const change of watchChanges(api, { path, query: { ...only, resourceVersion }, signal })) {
        if (change.type === 'BOOKMARK') continue;
        yield change.type === 'DELETED' ? undefined : (change.object as KubeObject);
      }
    } catch (error) {
      signal.throwIfAborted();
      // What the server refuses it refuses the next time too; that the past is gone, or that it is busy, it does not.
      const passes = !(error instanceof StatusError) || error.code === 410 || error.code === 429 || error.code >= 500;
      if (!passes || !isTrouble(error)) throw error;
      failures += 1;
      if (failures > 1) onTrouble?.(error);
    }
    // A stream that ended is followed anew at once, but never in a tight loop.
    await pause(failures === 0 ? retry.firstMilliseconds : backoffDelay(failures, retry), signal);
  }
}

function isTrouble(error: unknown): boolean {
  return error instanceof StatusError || error instanceof CliError || (error instanceof Error && 'code' in error);
}

/** A signal that fires after so long, or with the other one; `late` makes of its end what the user is to be told. */
export async function within<T>(
  milliseconds: number,
  signal: AbortSignal,
  late: () => string,
  use: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error('late')), milliseconds);
  try {
    return await use(AbortSignal.any([signal, limit.signal]));
  } catch (error) {
    if (limit.signal.aborted && !signal.aborted) throw timeoutError(late());
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
