import { managementGroup } from '../../../src/api/naming.ts';
import type { Relation } from './relations.ts';

/** The extent of a requested operation: one object, one project, all objects, or a non-resource path. */
export type RequestExtent = 'one' | 'project' | 'all' | 'path';

/** One line of the table of completions §8, for one endpoint. */
export interface Row {
  readonly group: string;
  /** The plural, or the path. */
  readonly resource: string;
  readonly subresource: string;
  readonly verb: string;
  readonly extent: RequestExtent;
  /** The relations that allow the request. One of them is sufficient. */
  readonly may: readonly Relation[];
  /**
   * The only kind of check that gives this result. Optional; by default, a request and a review give the same result.
   */
  readonly only?: 'request' | 'review';
  /**
   * The part of the object that a write changes (`members`). Optional; by default, a write changes nothing that needs a
   * separate permission.
   */
  readonly change?: string;
  /** True if no scope allows the request, because it would create a credential without the scope. */
  readonly unscoped?: true;
}

export type RowOptions = Pick<Row, 'only' | 'change' | 'unscoped'> & { readonly group?: string };

/** Returns one row for each verb in the space-separated `verbs`. `resource` may be `plural/subresource`. */
export function rows(
  resource: string,
  verbs: string,
  extent: RequestExtent,
  may: readonly Relation[],
  { group = managementGroup, ...options }: RowOptions = {},
): Row[] {
  const [plural = '', ...subresource] = extent === 'path' ? [resource] : resource.split('/');
  return verbs
    .split(' ')
    .map((verb) => ({ group, resource: plural, subresource: subresource.join('/'), verb, extent, may, ...options }));
}
