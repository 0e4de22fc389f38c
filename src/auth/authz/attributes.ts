/**
 * The API that a request addresses: the management API itself, or a cluster behind the gateway. For the latter, the
 * authorizer only decides whether the caller may reach that cluster at all.
 */
export type RequestTarget =
  | { readonly type: 'Management' }
  | { readonly type: 'Cluster'; readonly cluster: string }
  | { readonly type: 'ProjectVirtualCluster'; readonly project: string; readonly virtualCluster: string }
  | { readonly type: 'ProjectSpace'; readonly project: string; readonly space: string };

export interface ResourceAttributes {
  readonly resourceRequest: true;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The API that the request addresses. Optional; defaults to Management. */
  readonly target?: RequestTarget;
}

export interface PathAttributes {
  readonly resourceRequest: false;
  readonly verb: string;
  readonly path: string;
  /** The API that the request addresses. Optional; defaults to Management. */
  readonly target?: RequestTarget;
}

/** The input of an authorization decision: the verb, and the resource or path that the request addresses. */
export type Attributes = ResourceAttributes | PathAttributes;

/**
 * Returns a copy with another target. Copies each member explicitly, because a spread is slower and this function runs
 * for every gateway request.
 */
export function withTarget(attributes: Attributes, target: RequestTarget): Attributes {
  if (!attributes.resourceRequest) {
    return { resourceRequest: false, verb: attributes.verb, path: attributes.path, target };
  }
  const { verb, group, version, resource, subresource, namespace, name } = attributes;
  return { resourceRequest: true, verb, group, version, resource, subresource, namespace, name, target };
}

/** The result of an authorization. Audit events and access reviews contain the reason. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
  /** The scopes of the credential, as text. Absent if the credential is not scoped. */
  readonly scopes?: readonly string[];
  /**
   * The space to which the request is restricted, by its name for error messages. Absent if the target is not a space.
   */
  readonly boundary?: string;
}
