import { isJsonObject, type JsonValue } from '@flotilla/json';

const knownMembers: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

/**
 * The findings of strict decoding in the operations themselves (rule DEC-16): unknown members, then duplicate members.
 * `duplicates` are the field paths that the JSON parser reported: `[1].path`.
 */
export function jsonPatchFindings(operations: JsonValue, duplicates: readonly string[] = []): string[] {
  const findings: string[] = [];
  if (Array.isArray(operations)) {
    for (const [index, operation] of operations.entries()) {
      if (!isJsonObject(operation)) continue;
      for (const member of Object.keys(operation)) {
        if (!knownMembers.has(member)) findings.push(`json patch unknown field "[${index}].${member}"`);
      }
    }
  }
  for (const path of duplicates) findings.push(`json patch duplicate field "${path}"`);
  return findings;
}
