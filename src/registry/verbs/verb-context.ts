import type { ObjectKey } from '../cache/object-index.ts';
import type { RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';

/** The kind and the request that all steps of a verb work with. Created once per request. */
export interface VerbContext {
  readonly kind: KindRuntime;
  readonly context: RequestContext;
}

/** The context of a verb that writes one object. */
export interface WriteContext extends VerbContext {
  readonly key: ObjectKey;
}
