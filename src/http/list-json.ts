import { apiVersionOf } from '../api/meta.ts';
import type { ResourceKind } from '../api/resource.ts';
import type { ServedList } from '../registry/verbs.ts';

/** Continue tokens are opaque and absent on the last page; the count is there only where it is exact (LIST-23). */
export function listMetaJson(list: ServedList): string {
  return `{${metaMembers(list).join(',')}}`;
}

/** In the order of Go's struct. */
function metaMembers(list: ServedList): string[] {
  const members = [`"resourceVersion":${JSON.stringify(list.resourceVersion)}`];
  if (list.continue !== undefined && list.continue !== '') members.push(`"continue":${JSON.stringify(list.continue)}`);
  if (list.remainingItemCount !== undefined) members.push(`"remainingItemCount":${list.remainingItemCount}`);
  return members;
}

interface ListParts {
  readonly head: string;
  readonly items: readonly string[];
  readonly tail: string;
}

/**
 * A list is joined from the ready JSON of its items (rule LIST-01). Kinds that typed clients know come in the order of
 * their structs and without kind and apiVersion in the items; the others alphabetically, as custom resources do
 * (rules DEC-25, NEG-25).
 */
function partsOf(kind: ResourceKind, list: ServedList): ListParts {
  const apiVersion = `"apiVersion":${JSON.stringify(apiVersionOf(kind))}`;
  const listKind = `"kind":${JSON.stringify(`${kind.kind}List`)}`;
  if (kind.builtIn !== true) {
    const items = list.items.map((item) => item.json());
    const metadata = `"metadata":{${metaMembers(list).sort().join(',')}}`;
    return { head: `{${apiVersion},"items":[`, items, tail: `],${listKind},${metadata}}` };
  }
  const metadata = `"metadata":${listMetaJson(list)}`;
  const typed = `{"kind":${JSON.stringify(kind.kind)},${apiVersion},`;
  const items = list.items.map((item) => withoutType(item.json(), typed));
  return { head: `{${listKind},${apiVersion},${metadata},"items":[`, items, tail: ']}' };
}

export function listJson(kind: ResourceKind, list: ServedList): string {
  const { head, items, tail } = partsOf(kind, list);
  return `${head}${items.join(',')}${tail}`;
}

const comma = 0x2c;

/**
 * The list as it is sent, closing newline included. Each item is encoded straight into its place: a text of the whole
 * list, megabytes for a thousand objects, would be joined, flattened, measured and encoded one after the other.
 */
export function listBytes(kind: ResourceKind, list: ServedList): Uint8Array {
  const { head, items, tail } = partsOf(kind, list);
  const end = `${tail}\n`;
  let length = Buffer.byteLength(head) + Math.max(0, items.length - 1) + Buffer.byteLength(end);
  for (const item of items) length += Buffer.byteLength(item);
  const bytes = Buffer.allocUnsafe(length);
  let at = bytes.write(head);
  for (const [index, item] of items.entries()) {
    if (index > 0) bytes[at++] = comma;
    at += bytes.write(item, at);
  }
  bytes.write(end, at);
  return bytes;
}

function withoutType(json: string, typed: string): string {
  return json.startsWith(typed) ? `{${json.slice(typed.length)}` : json;
}
