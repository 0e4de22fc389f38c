import { isJsonObject, numberAt, textAt, textsAt } from '@flotilla/json';
import type { AuditSearchResult } from '../../audit/search-audit-log.ts';

/**
 * Writes the result of a search that another replica requested: first a line with everything except the found lines,
 * then the found lines. The found lines are not serialized again, because JSON strings inside of JSON are slow to
 * parse.
 */
export function writeSearchResult({ lines, positions, continue: next, oldestSearchedTime }: AuditSearchResult): string {
  return [JSON.stringify({ count: lines.length, positions, continue: next, oldestSearchedTime }), ...lines].join('\n');
}

/** Reads the result of a search; `undefined` if the text is not complete. */
export function readSearchResult(text: string): AuditSearchResult | undefined {
  const [first = '', ...lines] = text.split('\n');
  const head = parse(first);
  if (!isJsonObject(head)) return undefined;
  const positions = textsAt(head, 'positions');
  if (numberAt(head, 'count') !== lines.length || positions.length !== lines.length) return undefined;
  return {
    lines,
    positions,
    continue: textAt(head, 'continue') || undefined,
    oldestSearchedTime: numberAt(head, 'oldestSearchedTime'),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
