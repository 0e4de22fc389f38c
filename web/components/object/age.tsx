import { useSyncExternalStore } from 'react';
import { formatAge } from '../../../src/api/table.ts';
import { formatTime } from '../../data/format-time.ts';

/** The interval in milliseconds at which one shared timer updates all ages on the page. */
const updateIntervalMs = 10_000;

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, updateIntervalMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** The time since `since`, in the format of kubectl. The tooltip shows the timestamp. */
export function Age({ since }: { readonly since: string | undefined }) {
  const current = Math.max(useNow(), since === undefined ? 0 : Date.parse(since));
  if (since === undefined || since === '') return <span>–</span>;
  return (
    <time dateTime={since} title={formatTime(since)}>
      {formatAge(since, current)}
    </time>
  );
}
