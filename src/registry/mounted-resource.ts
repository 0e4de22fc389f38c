import type { ResourceKind } from '../api/resource.ts';
import type { ResourceVerbs, SubresourceVerbs } from './verbs.ts';

/** A kind as a control plane serves it: its data and the functions that answer. */
export interface MountedResource {
  readonly kind: ResourceKind;
  readonly verbs: ResourceVerbs;
  readonly subresources: Readonly<Record<string, MountedSubresource>>;
}

export interface MountedSubresource {
  /** The kind that is sent and answered, where it is not the parent's own. */
  readonly kind: ResourceKind;
  readonly verbs: SubresourceVerbs;
  /**
   * A part that this server does not have yet: the path answers 501 with this text (after a body was checked), and
   * discovery does not list it.
   */
  readonly missing?: string;
}
