import { type JsonObject, type JsonValue, textAt } from '@flotilla/json';
import { secretTypes } from '../../../api/core/secret.ts';
import type { RequestContext } from '../../../registry/context.ts';
import type { Draft } from '../../../registry/resource.ts';

/**
 * The member, in the hidden part of a token secret (data that no response contains), with the name of the user or team
 * that created its token.
 */
const hiddenCreator = 'maker';

/**
 * Records the creator of the token in a token secret. The creator is the caller who created the secret or, after a
 * caller has removed the token, that caller, because the controller then issues a new token. The name is in the hidden
 * part of the secret, which clients cannot change.
 */
export function recordCreatorOfSecret(draft: Draft, { system, responsible }: RequestContext): void {
  const { object, old, hidden } = draft;
  if (system || textAt(object as JsonValue, 'type') !== secretTypes.serviceAccountToken) return;
  if (old !== undefined && tokenOf(old.object as JsonValue) === tokenOf(object as JsonValue)) return;
  if (responsible === undefined) delete hidden[hiddenCreator];
  else hidden[hiddenCreator] = responsible;
}

export function creatorOfSecret(hidden: JsonObject | undefined): string | undefined {
  return textAt(hidden, hiddenCreator) || undefined;
}

function tokenOf(secret: JsonValue): string {
  return textAt(secret, 'data', 'token');
}
