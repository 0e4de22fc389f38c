import { isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import { type GoField, type GoStruct, isStruct } from '../structs/go-struct.ts';

/**
 * Renames the members of a document to the names of the fields of a struct. Ignores letter case, as Go's standard JSON
 * decoder does. Omits unknown members. If several members match one field, uses the last one.
 */
export function foldMemberNames(struct: GoStruct, members: JsonObject): JsonObject {
  const exact = new Map(struct.fields.map((field) => [field.name, field]));
  const folded = new Map(struct.fields.map((field) => [field.name.toLowerCase(), field]));
  const renamed: JsonObject = {};
  for (const [name, member] of Object.entries(members)) {
    const field = exact.get(name) ?? folded.get(name.toLowerCase());
    if (field !== undefined) setMember(renamed, field.name, foldField(field, member));
  }
  return renamed;
}

function foldField({ type, shape }: GoField, member: JsonValue): JsonValue {
  if (typeof type === 'string' || !isStruct(type)) return member;
  const fold = (value: JsonValue) => (isJsonObject(value) ? foldMemberNames(type, value) : value);
  if (shape === 'list') return Array.isArray(member) ? member.map(fold) : member;
  return fold(member);
}
