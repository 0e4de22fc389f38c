/**
 * The API that a request addresses. The management API authorizes requests on its own objects. A gateway passes the
 * attributes of the request inside its target to check whether the caller may reach that target at all.
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
  /** Defaults to Management. */
  readonly target?: RequestTarget;
}

export interface PathAttributes {
  readonly resourceRequest: false;
  readonly verb: string;
  readonly path: string;
  /** Defaults to Management. */
  readonly target?: RequestTarget;
}

/** The input of an authorization decision: the operation and the object or path. */
export type Attributes = ResourceAttributes | PathAttributes;

/** Returns a copy with another target. Written out, since every gateway request calls it and a spread is slower. */
export function withTarget(attributes: Attributes, target: RequestTarget): Attributes {
  if (!attributes.resourceRequest) {
    return { resourceRequest: false, verb: attributes.verb, path: attributes.path, target };
  }
  const { verb, group, version, resource, subresource, namespace, name } = attributes;
  return { resourceRequest: true, verb, group, version, resource, subresource, namespace, name, target };
}

/** The result, with the reason that audit entries and reviews contain. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
  /** The scopes of the credential, as written in the key. Absent if it has none. */
  readonly scopes?: readonly string[];
}
