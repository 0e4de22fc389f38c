import type { JsonObject } from '@flotilla/json';
import type { KubeObject, TypedObject } from '../../api/meta.ts';
import { type ResourceKind, typedObject } from '../../api/resource.ts';
import { validateSchema } from '../../api/schema/validate.ts';
import { invalidObject } from '../../api/status.ts';

/**
 * Returns the body of a request with its type. Throws 422 if a member has a type that differs from the schema, as writes of
 * stored kinds do. Members that the schema requires can be missing, so the caller has to validate the body.
 */
export function typedBody<Fields extends JsonObject>(
  kind: ResourceKind<Fields>,
  name: string,
  sent: KubeObject,
): TypedObject<Fields> {
  const errors = validateSchema(kind.schema, sent, '');
  if (errors.some(({ type }) => type === 'FieldValueTypeInvalid')) {
    const present = errors.filter(({ type }) => type !== 'FieldValueRequired');
    throw invalidObject(kind, name, present);
  }
  return typedObject(kind, sent);
}
