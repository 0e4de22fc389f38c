import { isJsonObject, type JsonObject } from '@flotilla/json';
import type { FieldError } from '../../api/field-error.ts';
import type { KubeObject, TypedObject } from '../../api/meta.ts';
import { type ResourceKind, typedObject } from '../../api/resource.ts';
import { validateSchema } from '../../api/schema/validate.ts';

/** The body of a request that creates nothing in the store. */
export interface RequestBody<Fields extends JsonObject> {
  /** The body without the members whose type differs from the schema. Required members can be missing. */
  readonly body: TypedObject<Fields>;
  /** The schema errors of the body as the client sent it. */
  readonly errors: readonly FieldError[];
}

/**
 * Returns the typed body of a request and its schema errors. The caller can add its own errors and report all of them
 * together.
 */
export function readRequestBody<Fields extends JsonObject>(
  kind: ResourceKind<Fields>,
  sent: KubeObject,
): RequestBody<Fields> {
  const errors = validateSchema(kind.schema, sent, '');
  const wrong = errors.filter(({ type }) => type === 'FieldValueTypeInvalid');
  if (wrong.length === 0) return { body: typedObject(kind, sent), errors };
  const body = structuredClone(sent);
  for (const { field } of wrong) removeMember(body, field);
  return { body: typedObject(kind, body), errors };
}

/** Removes the member with this path. If it is in a list or a map, removes the whole list or map. */
function removeMember(body: KubeObject, field: string): void {
  const [path = ''] = field.split('[');
  const names = path.split('.');
  const last = names.pop() ?? '';
  let parent: unknown = body;
  for (const name of names) parent = isJsonObject(parent) ? parent[name] : undefined;
  if (isJsonObject(parent)) delete parent[last];
}
