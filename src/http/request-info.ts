/** What a URL of one control plane means (rules REQ-01 to REQ-07). The path is relative to the plane's root. */
export interface RequestInfo {
  /** create, get, list, watch, update, patch, delete, deletecollection; for non-resource requests the method in lower case. */
  readonly verb: string;
  readonly isResource: boolean;
  /** Below the plane's root, decoded, with its leading slash. */
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  /** The plural; '' for non-resource requests. */
  readonly resource: string;
  readonly subresource: string;
  /** Of the path, or of a fieldSelector `metadata.name=x` (rule REQ-06; for authorisation only, see `pathName`). */
  readonly name: string;
  readonly pathName: string;
  /** Path segments after the subresource: they fit no rule. */
  readonly rest: readonly string[];
}
