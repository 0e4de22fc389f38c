import { type JsonObject, writeJson } from '@flotilla/json';
import { useEffect, useState } from 'react';
import type { Instance } from '../../../data/instance-types.ts';
import type { KindRef } from '../../../data/kind-ref.ts';
import { createObject } from '../../../data/objects/objects.ts';

/** The milliseconds after the last keystroke before the manifest is validated. */
const debounceMs = 300;

export interface DryRun {
  /**
   * The state is `checking` until the current manifest is validated. Until then, the other fields of the result belong
   * to an earlier manifest.
   */
  readonly state: 'checking' | 'good' | 'bad';
  readonly error: unknown;
  /** The instance that the server would create. */
  readonly object: Instance | undefined;
}

const unchecked: DryRun = { state: 'checking', error: undefined, object: undefined };

/**
 * Validates the manifest with a server-side dry run each time the user pauses typing. The result is not cached, because
 * the manifest may contain a password. If `manifest` is `undefined`, no request is sent.
 */
export function useDryRun(kind: KindRef<Instance>, namespace: string, manifest: JsonObject | undefined): DryRun {
  const [result, setResult] = useState<DryRun>(unchecked);
  const key = manifest === undefined ? undefined : writeJson(manifest);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key contains the whole manifest.
  useEffect(() => {
    setResult((before) => ({ ...before, state: 'checking' }));
    if (manifest === undefined) return;
    const request = new AbortController();
    const { signal } = request;
    const timer = setTimeout(() => {
      createObject(kind, manifest, { namespace, dryRun: true, signal }).then(
        (answer) => setResult({ state: 'good', error: undefined, object: answer }),
        (error: unknown) => {
          if (!signal.aborted) setResult({ state: 'bad', error, object: undefined });
        },
      );
    }, debounceMs);
    return () => {
      clearTimeout(timer);
      request.abort();
    };
  }, [kind, namespace, key]);
  return result;
}
