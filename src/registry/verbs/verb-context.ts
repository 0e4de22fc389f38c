import type { ObjectKey } from '../cache/object-index.ts';
import type { RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';

/** The kind and the request context, which the functions of a verb need. Created once per request. */
export interface VerbContext {
  readonly kind: KindRuntime;
  readonly context: RequestContext;
}

/** The context of a verb that writes one object, with the key of this object. */
export interface WriteContext extends VerbContext {
  readonly key: ObjectKey;
}
