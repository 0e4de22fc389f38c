import { setMaxListeners } from 'node:events';

/**
 * A signal that fires with the first of these. Unlike AbortSignal.any it lets go of all of them once one has fired: a
 * request's own signal fires at its end in any case, so nothing stays behind on those that live long.
 */
export function linkSignals(first: AbortSignal, ...others: readonly AbortSignal[]): AbortSignal {
  const sources = [first, ...others.filter((other) => other !== first)];
  const [only] = sources;
  if (sources.length === 1 && only !== undefined) return only;
  const fired = sources.find((source) => source.aborted);
  if (fired !== undefined) return fired;
  // An identity's signal carries every request of that key; the warning about many listeners is about something else.
  setMaxListeners(0, ...sources);
  const controller = new AbortController();
  const fire = (event: Event) => {
    for (const source of sources) source.removeEventListener('abort', fire);
    controller.abort((event.target as AbortSignal).reason);
  };
  for (const source of sources) source.addEventListener('abort', fire, { once: true });
  return controller.signal;
}
