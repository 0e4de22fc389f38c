import type { JsonObject } from '../../lib/json-value.ts';
import { setMember } from '../../lib/json-value.ts';
import type { KubeObject } from '../meta.ts';
import type { ResourceKind } from '../resource.ts';

/** The members at the top as Go prints them: kind, apiVersion, metadata, then the schema's own order (rule DEC-25). */
export function inStructOrder(kind: ResourceKind, object: KubeObject): KubeObject {
  const ordered: JsonObject = {};
  const source = object as JsonObject;
  const names = ['kind', 'apiVersion', 'metadata', ...Object.keys(kind.schema.properties ?? {})];
  for (const name of new Set([...names, ...Object.keys(source)])) {
    const member = Object.hasOwn(source, name) ? source[name] : undefined;
    if (member !== undefined) setMember(ordered, name, member);
  }
  return ordered as KubeObject;
}
