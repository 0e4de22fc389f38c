import { type KubeObject, timestamp } from '../api/meta.ts';
import { trackUpdate } from './apply/track-update.ts';
import type { KindRuntime } from './kind-runtime.ts';

/** Field ownership of everything but apply. */
export function trackWrite(
  kind: KindRuntime,
  part: 'main' | 'status',
  manager: string,
  next: KubeObject,
  live?: KubeObject,
): KubeObject {
  return trackUpdate({
    kind: kind.resource,
    ...(live === undefined ? {} : { live }),
    next,
    manager,
    subresource: part === 'status' ? 'status' : '',
    now: timestamp(kind.clock.now()),
  });
}
