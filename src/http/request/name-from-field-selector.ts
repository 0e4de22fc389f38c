import { parseFieldSelector } from '../../api/selectors/field-selector.ts';
import { pathSegmentError } from './path-name.ts';

/**
 * Returns the object name if the field selector is `metadata.name=x`, for authorization by name (rule REQ-06).
 * `undefined` if the selector requires no name or is invalid. The list handler reports an invalid selector later.
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
    // If the selector contains two different names, it matches no object. An empty name cannot be authorized.
    if (names.size !== 1 || name === undefined || name === '') return undefined;
    return pathSegmentError(name) === undefined ? name : undefined;
  } catch {
    return undefined;
  }
}
