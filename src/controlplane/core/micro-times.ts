import { microTime } from '../../api/micro-time.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import { cannotBeHandled } from '../../registry/decode.ts';

/**
 * Brings the members of `holder` that are times to the microsecond into the form in which they are served, in place;
 * one that is no time is left out. Their types have been checked. Throws a 400 for a text that cannot be read, as
 * Kubernetes does: to it this is a matter of decoding.
 */
export function settleMicroTimes(
  kind: Pick<ResourceKind, 'kind' | 'version'>,
  holder: JsonObject | undefined,
  members: readonly string[],
): void {
  for (const member of members) {
    const text = holder?.[member];
    if (holder === undefined || typeof text !== 'string') continue;
    const settled = readTime(kind, text);
    if (settled === undefined) delete holder[member];
    else holder[member] = settled;
  }
}

function readTime(kind: Pick<ResourceKind, 'kind' | 'version'>, text: string): string | undefined {
  try {
    return microTime(text);
  } catch (error) {
    throw cannotBeHandled(kind, error instanceof Error ? error.message : String(error));
  }
}
