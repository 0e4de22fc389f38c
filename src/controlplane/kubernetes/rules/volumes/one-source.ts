import { isJsonObject, type JsonValue } from '@flotilla/json';
import { type FieldError, forbiddenField, required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import type { Check } from '../object-rules.ts';

/** A source of a volume, for example `nfs`. */
export interface VolumeSource {
  /** The member of the volume that contains the source. */
  readonly member: string;
  readonly check: Check;
  /** The name of the source in the paths of its errors. Optional; defaults to the name of the member. */
  readonly path?: string;
  /**
   * The name of the source in the error that forbids it as a second source. Optional; defaults to the name of the
   * member.
   */
  readonly forbiddenPath?: string;
  /** True if a volume may have the source in addition to another source. */
  readonly isAdditional?: boolean;
  /**
   * Returns additional errors of a volume with this source. They are reported even if the source is refused as a second
   * source.
   */
  always?(volume: JsonValue | undefined, path: string): Iterable<FieldError>;
}

/** Returns the check that a volume has exactly one of the sources, and that the source is valid. */
export function oneSource(sources: readonly VolumeSource[]): Check {
  return function* (volume, position) {
    if (!isJsonObject(volume)) return;
    let count = 0;
    for (const { member, check, path = member, forbiddenPath = member, isAdditional = false, always } of sources) {
      const source = volume[member];
      if (!isJsonObject(source)) continue;
      if (count > 0 && !isAdditional) {
        yield forbiddenField(childPath(position.path, forbiddenPath), 'may not specify more than 1 volume type');
      } else {
        count++;
        yield* check(source, { ...position, path: childPath(position.path, path), parent: volume });
      }
      yield* always?.(volume, position.path) ?? [];
    }
    if (count === 0) yield required(position.path, 'must specify a volume type');
  };
}
