import { andThen } from '../../lib/maybe-promise.ts';
import type { CachedObject } from '../cache/cached-object.ts';
import type { VerbContext } from './verb-context.ts';

/**
 * Runs `write`, which changes an existing object, after the hook `guardWrite` of its kind has allowed the change.
 * Before the hook has allowed it, nothing that the caller sent is combined with the object. No error message can
 * therefore contain content of the object.
 */
export function guardedWrite<T>(
  { kind, context }: VerbContext,
  current: CachedObject,
  subresource: string,
  write: () => Promise<T>,
): Promise<T> {
  const { resource } = kind;
  if (context.system || resource.guardWrite === undefined) return write();
  return andThen(resource.guardWrite(current.record, context, subresource), write);
}
