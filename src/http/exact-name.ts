import { parseFieldSelector } from '../api/selectors/field-selector.ts';
import { badPathSegment } from './path-name.ts';

/**
 * The name that a field selector pins with `metadata.name=x` (rule REQ-06), if it pins one. A selector that cannot be
 * read pins none: whoever lists with it is told so later, behind authorisation.
 */
export function exactNameOf(query: URLSearchParams): string | undefined {
  const text = query.get('fieldSelector');
  if (text === null || text === '') return undefined;
  try {
    const pinned = parseFieldSelector(text).requirements.filter(
      ({ field, operator }) => field === 'metadata.name' && operator === '=',
    );
    const names = new Set(pinned.map(({ value }) => value));
    const [name] = names;
    // Two different names select nothing, and what is no name cannot be authorised as one.
    if (names.size !== 1 || name === undefined || name === '') return undefined;
    return badPathSegment(name) === undefined ? name : undefined;
  } catch {
    return undefined;
  }
}
