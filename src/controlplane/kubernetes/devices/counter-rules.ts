import type { JsonObject } from '@flotilla/json';
import { type FieldError, required, tooMany } from '../../../api/field-error.ts';
import { childPath } from '../../../api/schema/field-path.ts';
import { objectAt, textOf } from '../rules/checks.ts';
import { labelErrors } from './device-names.ts';

const maxCounters = 32;

/**
 * Returns the errors of a set of counters, or of a device's consumption from such a set. `member` is the member with
 * the name of the set.
 */
export function* counterSetErrors(set: JsonObject, path: string, member: 'name' | 'counterSet'): Generator<FieldError> {
  const name = textOf(set[member]);
  if (name === '') yield required(childPath(path, member));
  else yield* labelErrors(name, childPath(path, member));
  const counters = Object.keys(objectAt(set, 'counters'));
  const at = childPath(path, 'counters');
  if (counters.length === 0) yield required(at);
  else if (counters.length > maxCounters) yield tooMany(at, counters.length, maxCounters);
  else for (const counter of counters) yield* labelErrors(counter, at);
}
