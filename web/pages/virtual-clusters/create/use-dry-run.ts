import { useEffect, useState } from 'react';
import type { KubeObject } from '../../../../src/api/meta.ts';
import type { JsonObject } from '../../../../src/lib/json-value.ts';
import { writeJson } from '../../../../src/lib/json-write.ts';
import { kinds } from '../../../data/kind-ref.ts';
import { createObject } from '../../../data/objects.ts';

/** Nobody types so slowly that each letter is asked about. */
const pause = 300;

export interface DryRun {
  /** `checking` while what is known is about an earlier state. */
  readonly state: 'checking' | 'good' | 'bad';
  readonly error: unknown;
  /** What would be made. */
  readonly answer: KubeObject | undefined;
}

const unchecked: DryRun = { state: 'checking', error: undefined, answer: undefined };

/**
 * What the server says of it while it is being written: it checks everything and makes nothing. Kept here alone, as
 * there may be a password in it. Undefined: there is nothing to ask about.
 */
export function useDryRun(namespace: string, manifest: JsonObject | undefined): DryRun {
  const [result, setResult] = useState<DryRun>(unchecked);
  const key = manifest === undefined ? undefined : writeJson(manifest);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is all that the manifest says.
  useEffect(() => {
    setResult((before) => ({ ...before, state: 'checking' }));
    if (manifest === undefined) return;
    const asked = new AbortController();
    const { signal } = asked;
    const timer = setTimeout(() => {
      createObject(kinds.instance, manifest, { namespace, dryRun: true, signal }).then(
        (answer) => setResult({ state: 'good', error: undefined, answer }),
        (error: unknown) => {
          if (!signal.aborted) setResult({ state: 'bad', error, answer: undefined });
        },
      );
    }, pause);
    return () => {
      clearTimeout(timer);
      asked.abort();
    };
  }, [namespace, key]);
  return result;
}
