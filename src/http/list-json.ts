import { apiVersionOf } from '../api/meta.ts';
import type { ResourceKind } from '../api/resource.ts';
import type { ServedList } from '../registry/verbs.ts';

/** Continue tokens are opaque and absent on the last page; the count is there only where it is exact (LIST-23). */
export function listMetaJson(list: ServedList): string {
  const members = [`"resourceVersion":${JSON.stringify(list.resourceVersion)}`];
  if (list.continue !== undefined && list.continue !== '')
    members.unshift(`"continue":${JSON.stringify(list.continue)}`);
  if (list.remainingItemCount !== undefined) members.unshift(`"remainingItemCount":${list.remainingItemCount}`);
  return `{${members.join(',')}}`;
}

/**
 * A list, joined from the ready JSON of its items (rule LIST-01). Kinds that typed clients know come in the order of
 * their structs and without kind and apiVersion in the items; the others alphabetically, as custom resources do
 * (rules DEC-25, NEG-25).
 */
export function listJson(kind: ResourceKind, list: ServedList): string {
  const apiVersion = `"apiVersion":${JSON.stringify(apiVersionOf(kind))}`;
  const listKind = `"kind":${JSON.stringify(`${kind.kind}List`)}`;
  const metadata = `"metadata":${listMetaJson(list)}`;
  if (kind.builtIn !== true) {
    const items = list.items.map((item) => item.json()).join(',');
    return `{${apiVersion},"items":[${items}],${listKind},${metadata}}`;
  }
  const typed = `{"kind":${JSON.stringify(kind.kind)},${apiVersion},`;
  const items = list.items.map((item) => withoutType(item.json(), typed)).join(',');
  return `{${listKind},${apiVersion},${metadata},"items":[${items}]}`;
}

function withoutType(json: string, typed: string): string {
  return json.startsWith(typed) ? `{${json.slice(typed.length)}` : json;
}
