import type { ResourceKind } from '../api/resource.ts';
import type { ResourceVerbs, SubresourceVerbs } from './verbs.ts';

/** A kind as a control plane serves it: its data and the functions that answer. */
export interface MountedResource {
  readonly kind: ResourceKind;
  readonly verbs: ResourceVerbs;
  readonly subresources: Readonly<Record<string, MountedSubresource>>;
  /** Verbs that are there and that discovery does not tell of. */
  readonly unlisted?: readonly (keyof ResourceVerbs)[];
}

export interface MountedSubresource {
  /** The kind that is sent and answered, where it is not the parent's own. */
  readonly kind: ResourceKind;
  readonly verbs: SubresourceVerbs;
  /**
   * The way to another API: every method, at this path and at whatever is below it. Whoever serves the plane passes such
   * requests on before they come to its kinds; discovery says that the way is there.
   */
  readonly connects?: boolean;
}
