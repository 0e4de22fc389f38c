import type { ResourceKind } from '../api/resource.ts';
import type { ResourceVerbs, SubresourceVerbs } from './verbs.ts';

/** A kind that a control plane serves: its definition and the functions that handle its requests. */
export interface MountedResource {
  readonly kind: ResourceKind;
  readonly verbs: ResourceVerbs;
  readonly subresources: Readonly<Record<string, MountedSubresource>>;
  /** True if clients can read an object as CSV (`ServedObject.csv`). Optional; defaults to false. */
  readonly servesCsv?: boolean;
  /** Verbs that clients can use but that discovery does not list. */
  readonly unlisted?: readonly (keyof ResourceVerbs)[];
  /**
   * A cache key for the documents about this resource. Planes in which the documents are equal share the key. Optional;
   * the documents of resources without a key are compared member by member.
   */
  readonly documentKey?: object;
  /**
   * The reasons why the server does not support certain requests that clients of this API send. The keys are `<verb>
   * <subresource>`, or `<verb>` for the object itself. The response to such a request is 405 with the reason. Discovery
   * does not list these requests.
   */
  readonly unsupported?: Readonly<Record<string, string>>;
}

export interface MountedSubresource {
  /** The kind of the subresource's request and response bodies, for example Scale. Often it is the parent's kind. */
  readonly kind: ResourceKind;
  readonly verbs: SubresourceVerbs;
  /** True if clients can read the subresource as CSV (`ServedObject.csv`). Optional; defaults to false. */
  readonly servesCsv?: boolean;
  /**
   * True if the subresource is a connection to another API, such as a proxy. It then accepts every method at its path
   * and at all paths below. Discovery lists it, but the server forwards its requests before they reach `verbs`.
   */
  readonly connects?: boolean;
}
