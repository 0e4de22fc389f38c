import { isJsonObject, type JsonValue } from '@flotilla/json';

const knownMembers: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

/**
 * Returns what strict decoding reports about the operations of a JSON patch (rule DEC-16): first unknown members, then
 * duplicate members. `duplicates` are field paths from the JSON parser, such as `[1].path`.
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
