import type { KubeObject } from '../api/meta.ts';
import type { ResourceKind } from '../api/resource.ts';
import type { RequestContext } from './context.ts';
import type { ResourceVerbs, SubresourceVerbs } from './verbs.ts';

/** `object` is the decoded body of a POST or PUT, `name` that of the path ('' for collections). Throws StatusError. */
export type MissingCheck = (
  context: RequestContext,
  name: string,
  object: KubeObject | undefined,
) => void | Promise<void>;

/** A kind as a control plane serves it: its data and the functions that answer. */
export interface MountedResource {
  readonly kind: ResourceKind;
  readonly verbs: ResourceVerbs;
  readonly subresources: Readonly<Record<string, MountedSubresource>>;
  /** Verbs that are there and that discovery does not tell of. */
  readonly unlisted?: readonly (keyof ResourceVerbs)[];
  /** A whole kind that this server does not have yet; means what `MountedSubresource.missing` means. */
  readonly missing?: string;
  readonly missingCheck?: MissingCheck;
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
  /**
   * A part that this server does not have yet: the path answers 501 with this text (after a body was checked), and
   * discovery does not list it.
   */
  readonly missing?: string;
  /** What the missing part would refuse all the same (404, 422): called before the 501. */
  readonly missingCheck?: MissingCheck;
}
