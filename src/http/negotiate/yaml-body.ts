import { type JsonValue, parseTrustedJson } from '@flotilla/json';
import { jsonWork } from '@flotilla/work-meter';
import { yamlText, yamlUnits } from '@flotilla/yaml';
import type { JoinedText } from '../wire/generated-body.ts';

/** The maximum length of a response in JSON that is converted to YAML. */
const maxCharacters = 3_145_728;

/** The maximum number of work units for writing YAML. This work takes less than 300 milliseconds. */
const maxUnits = 30_000_000;

/**
 * Converts compact JSON to YAML. Writing YAML takes many times as long as writing JSON. Therefore a long or deeply
 * nested response stays JSON, which is also valid YAML.
 */
export function yamlBody(json: string): string {
  const value = json.length > maxCharacters ? undefined : parseTrustedJson(json);
  return value !== undefined && isCheap(value) ? yamlText(value) : `${json}\n`;
}

function isCheap(value: JsonValue): boolean {
  try {
    return jsonWork(value, yamlUnits, maxUnits) <= maxUnits;
  } catch {
    // The value is nested too deeply for YAML.
    return false;
  }
}

/** Returns the whole text of a list, or the list itself if it is too long for YAML. */
export function joinForYaml({ items, ...list }: JoinedText): string | JoinedText {
  const rest = items[Symbol.iterator]();
  const first: string[] = [];
  let characters = list.head.length + list.tail.length;
  for (let next = rest.next(); next.done !== true; next = rest.next()) {
    first.push(next.value);
    characters += next.value.length + 1;
    if (characters > maxCharacters) return { ...list, items: followedBy(first, rest) };
  }
  return `${list.head}${first.join(',')}${list.tail}`;
}

function* followedBy(first: readonly string[], rest: Iterator<string>): Generator<string> {
  yield* first;
  for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value;
}
