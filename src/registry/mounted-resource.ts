import type { ResourceKind } from '../api/resource.ts';
import type { ResourceVerbs, SubresourceVerbs } from './verbs.ts';

/** A kind as a control plane serves it: its data and the functions that handle its requests. */
export interface MountedResource {
  readonly kind: ResourceKind;
  readonly verbs: ResourceVerbs;
  readonly subresources: Readonly<Record<string, MountedSubresource>>;
  /** Verbs that exist but that discovery does not list. */
  readonly unlisted?: readonly (keyof ResourceVerbs)[];
}

export interface MountedSubresource {
  /** The kind of request and response, if it is not the parent's own. */
  readonly kind: ResourceKind;
  readonly verbs: SubresourceVerbs;
  /**
   * True for a connection to another API: every method, at this path and all paths below it. The server of the plane
   * forwards such requests before they reach its kinds; discovery lists the subresource.
   */
  readonly connects?: boolean;
}
