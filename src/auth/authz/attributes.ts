/**
 * Which API a request is for. The management API asks about its own objects; a gateway asks, with what the request is
 * inside of its target, whether the caller gets through to that target at all.
 */
export type RequestTarget =
  | { readonly type: 'Management' }
  | { readonly type: 'Cluster'; readonly cluster: string }
  | { readonly type: 'ProjectVirtualCluster'; readonly project: string; readonly virtualCluster: string };

export interface ResourceAttributes {
  readonly resourceRequest: true;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Absent: Management. */
  readonly target?: RequestTarget;
}

export interface PathAttributes {
  readonly resourceRequest: false;
  readonly verb: string;
  readonly path: string;
  /** Absent: Management. */
  readonly target?: RequestTarget;
}

/** What is asked: may this caller do that to this? */
export type Attributes = ResourceAttributes | PathAttributes;

/** The same of another target. Written out, as every request through a gateway asks for it, and a spread takes its time. */
export function withTarget(attributes: Attributes, target: RequestTarget): Attributes {
  if (!attributes.resourceRequest) {
    return { resourceRequest: false, verb: attributes.verb, path: attributes.path, target };
  }
  const { verb, group, version, resource, subresource, namespace, name } = attributes;
  return { resourceRequest: true, verb, group, version, resource, subresource, namespace, name, target };
}

/** The answer, with the reason that audit lines and reviews carry. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
  /** What narrowed the credential, as it is written in the key; absent: nothing did. */
  readonly scopes?: readonly string[];
}
