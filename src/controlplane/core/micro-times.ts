import type { JsonObject } from '@flotilla/json';
import { formatMicroTime } from '../../api/micro-time.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { cannotBeHandled } from '../../registry/write/decode.ts';

/**
 * Normalizes, in place, the members of `holder` that are times with microseconds; removes a member that holds no time.
 * Their types have been checked. Throws 400 for an unreadable text, as Kubernetes does, which treats it as a decoding
 * error.
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
    throw cannotBeHandled(kind, error instanceof Error ? error.message : String(error));
  }
}
