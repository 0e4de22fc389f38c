import { parseFieldSelector } from '../../api/selectors/field-selector.ts';
import { pathSegmentError } from './path-name.ts';

/**
 * The name that a field selector requires with `metadata.name=x` (rule REQ-06); `undefined` if there is none. An
 * invalid selector requires none here: the list handler reports it later, after authorization.
 */
export function nameFromFieldSelector(query: URLSearchParams): string | undefined {
  const text = query.get('fieldSelector');
  if (text === null || text === '') return undefined;
  try {
    const required = parseFieldSelector(text).requirements.filter(
      ({ field, operator }) => field === 'metadata.name' && operator === '=',
    );
    const names = new Set(required.map(({ value }) => value));
    const [name] = names;
    // Two different names select nothing, and an invalid name cannot be authorized.
    if (names.size !== 1 || name === undefined || name === '') return undefined;
    return pathSegmentError(name) === undefined ? name : undefined;
  } catch {
    return undefined;
  }
}
