import type { JsonObject } from '@flotilla/json';
import type { TypedObject } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import type { NamedKind } from '../kinds.ts';
import { getObject, type ObjectScope, patchObject } from './objects.ts';
import type { ServerApi } from './server-api.ts';

/** The number of times that a change is tried before the command fails because other clients keep changing the object. */
const attempts = 10;

/** The object to change, and the project that contains it. */
export interface ObjectToChange<Fields extends JsonObject> extends ObjectScope {
  readonly kind: NamedKind<Fields>;
  readonly name: string;
}

/**
 * Changes a list in the spec of an object. Reads the object, and sends the spec that `specOf` returns for it as a merge
 * patch, which the server rejects if another client changed the object in the meantime. Both are then repeated. Needed for
 * lists, which a merge patch replaces as a whole.
 */
export async function changeObject<Fields extends JsonObject>(
  api: ServerApi,
  { kind, name, ...where }: ObjectToChange<Fields>,
  specOf: (object: TypedObject<Fields>) => JsonObject,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const object = await getObject(api, kind, where, name);
    const { resourceVersion = '' } = object.metadata;
    try {
      await patchObject(api, kind, name, { ...where, patch: { metadata: { resourceVersion }, spec: specOf(object) } });
      return;
    } catch (error) {
      const isConflict = error instanceof StatusError && error.code === 409;
      if (!isConflict || attempt === attempts) throw error;
    }
  }
}
