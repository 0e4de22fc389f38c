import { apiVersionOf } from '../../api/meta.ts';
import { listKindOf, type ResourceKind } from '../../api/resource.ts';
import type { ServedList, ServedObject } from '../../registry/verbs.ts';
import type { JoinedText } from '../wire/generated-body.ts';

/** Returns the metadata of a list as JSON. `remainingItemCount` is present only if it is exact (rule LIST-23). */
export function listMetaJson(list: ServedList): string {
  return `{${metaMembers(list).join(',')}}`;
}

/** Returns the members of the list metadata as JSON, in the order of the fields of Kubernetes' Go struct. */
function metaMembers(list: ServedList): string[] {
  const members = [`"resourceVersion":${JSON.stringify(list.resourceVersion)}`];
  if (list.continue !== undefined && list.continue !== '') members.push(`"continue":${JSON.stringify(list.continue)}`);
  if (list.remainingItemCount !== undefined) members.push(`"remainingItemCount":${list.remainingItemCount}`);
  return members;
}

/**
 * Builds a list from the serialized JSON of its items (rule LIST-01). For a built-in kind, members are in the order of
 * its Go struct, and items have no kind and apiVersion. For other kinds, members are in alphabetical order, as
 * kube-apiserver returns custom resources (rules DEC-25, NEG-25).
 */
export function listText(kind: ResourceKind, list: ServedList): JoinedText {
  const apiVersion = `"apiVersion":${JSON.stringify(apiVersionOf(kind))}`;
  const listKind = `"kind":${JSON.stringify(listKindOf(kind))}`;
  if (kind.builtIn !== true) {
    const items = mapLazily(list.items, (item) => item.json());
    const metadata = `"metadata":{${metaMembers(list).sort().join(',')}}`;
    return { head: `{${apiVersion},"items":[`, items, tail: `],${listKind},${metadata}}` };
  }
  const metadata = `"metadata":${listMetaJson(list)}`;
  const typed = `{"kind":${JSON.stringify(kind.kind)},${apiVersion},`;
  const items = mapLazily(list.items, (item) => withoutType(item.json(), typed));
  return { head: `{${listKind},${apiVersion},${metadata},"items":[`, items, tail: ']}' };
}

/** Serializes each item only when it is needed, so a long list is never in memory as a whole. */
export function* mapLazily(items: readonly ServedObject[], make: (item: ServedObject) => string): Generator<string> {
  for (const item of items) yield make(item);
}

function withoutType(json: string, typed: string): string {
  return json.startsWith(typed) ? `{${json.slice(typed.length)}` : json;
}
