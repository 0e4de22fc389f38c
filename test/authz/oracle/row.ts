import { managementGroup } from '../../../src/api/naming.ts';
import type { Relation } from './relations.ts';

/** Where a verb is asked for: of one object, in one project, over everything, or a path that is no kind. */
export type Place = 'one' | 'project' | 'all' | 'path';

/** One line of the table of completions §8, for one endpoint. */
export interface Row {
  readonly group: string;
  /** The plural, or the path. */
  readonly resource: string;
  readonly subresource: string;
  readonly verb: string;
  readonly place: Place;
  /** Whoever is one of these may. */
  readonly may: readonly Relation[];
  /** Which way of asking gives the answer; absent: a request and a review give the same. */
  readonly only?: 'request' | 'review';
  /** The part of the object that a write changes (`members`); absent: nothing that needs a right of its own. */
  readonly change?: string;
  /** No scope lets it through: it would make a credential that does not carry the scope. */
  readonly unscoped?: true;
}

export type RowOptions = Pick<Row, 'only' | 'change' | 'unscoped'> & { readonly group?: string };

/** One row for each verb of `verbs`, a text with spaces. `resource` may be `plural/subresource`. */
export function rows(
  resource: string,
  verbs: string,
  place: Place,
  may: readonly Relation[],
  { group = managementGroup, ...options }: RowOptions = {},
): Row[] {
  const [plural = '', ...subresource] = place === 'path' ? [resource] : resource.split('/');
  return verbs
    .split(' ')
    .map((verb) => ({ group, resource: plural, subresource: subresource.join('/'), verb, place, may, ...options }));
}
