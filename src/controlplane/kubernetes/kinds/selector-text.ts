import { type JsonValue, listAt, objectAt, textAt, textsAt } from '@flotilla/json';

/** Returns a label selector as `kubectl get` shows it: `a=b,c in (d,e)`; `<none>` if it selects everything. */
export function selectorText(selector: JsonValue | undefined): string {
  const labels = Object.entries(objectAt(selector, 'matchLabels') ?? {}).map(([key, value]): [string, string] => [
    key,
    `${key}=${String(value)}`,
  ]);
  const expressions = listAt(selector, 'matchExpressions').map((expression): [string, string] => {
    const key = textAt(expression, 'key');
    return [key, expressionText(key, textAt(expression, 'operator'), textsAt(expression, 'values'))];
  });
  const requirements = [...labels, ...expressions].toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
  return requirements.map(([, text]) => text).join(',') || '<none>';
}

function expressionText(key: string, operator: string, values: readonly string[]): string {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.toSorted().join(',')})`;
}
