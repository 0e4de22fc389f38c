import type { JsonObject } from '@flotilla/json';
import { formatMicroTime } from '../../api/micro-time.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { cannotBeHandledError } from '../../registry/write/decode.ts';

/**
 * Normalizes timestamps with microseconds, in place. `members` are the names of the string members of `holder` to
 * normalize. Removes a member that is the zero time. For an invalid timestamp, throws 400, because Kubernetes fails to
 * decode it.
 */
export function normalizeMicroTimes(
  kind: Pick<ResourceKind, 'kind' | 'version'>,
  holder: JsonObject | undefined,
  members: readonly string[],
): void {
  for (const member of members) {
    const text = holder?.[member];
    if (holder === undefined || typeof text !== 'string') continue;
    const normalized = readTime(kind, text);
    if (normalized === undefined) delete holder[member];
    else holder[member] = normalized;
  }
}

function readTime(kind: Pick<ResourceKind, 'kind' | 'version'>, text: string): string | undefined {
  try {
    return formatMicroTime(text);
  } catch (error) {
    throw cannotBeHandledError(kind, error instanceof Error ? error.message : String(error));
  }
}
