import type { JsonObject } from '@flotilla/json';
import type { TypedObject } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import type { NamedKind } from '../kinds.ts';
import { getObject, type ObjectScope, patchObject } from './objects.ts';
import type { ServerApi } from './server-api.ts';

/** The maximum number of attempts to change an object. An attempt fails if another client has changed the object. */
const attempts = 10;

/** The object to change, and the project that contains it. */
export interface ObjectToChange<Fields extends JsonObject> extends ObjectScope {
  readonly kind: NamedKind<Fields>;
  readonly name: string;
}

/**
 * Changes a list in the spec of an object. Reads the object, passes it to `specOf`, and sends the returned spec as a
 * merge patch. If another client has changed the object after the read, the server rejects the patch, and the function
 * repeats the read and the patch. Lists need this function, because a merge patch replaces a whole list.
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
