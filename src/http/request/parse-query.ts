import { badRequest } from '../../api/status.ts';
import { rawQuery } from './path-segments.ts';

/**
 * The maximum number of parameters in a query. The query is parsed before the caller is authenticated, and parsing 64
 * KiB of short parameters would take milliseconds. Exec requests have the most parameters: one for each word of the
 * command.
 */
const maxParameters = 1_000;

/** The shared result for URLs without a query. It must not be modified. */
const noQuery = new URLSearchParams();

/** Parses the query of a URL. Throws 400 if it has too many parameters. The result must not be modified. */
export function parseQuery(url: string): URLSearchParams {
  const query = rawQuery(url);
  if (query === '') return noQuery;
  if (hasTooManyParameters(query)) throw badRequest(`the query has more than ${maxParameters} parameters`);
  return new URLSearchParams(query);
}

/** Parses the query for the response to a failed request. A query with too many parameters counts as empty. */
export function parseQueryLeniently(url: string): URLSearchParams {
  const query = rawQuery(url);
  return query === '' || hasTooManyParameters(query) ? noQuery : new URLSearchParams(query);
}

function hasTooManyParameters(query: string): boolean {
  if (query.length <= maxParameters) return false;
  let count = 1;
  for (let at = query.indexOf('&'); at >= 0; at = query.indexOf('&', at + 1)) {
    if (++count > maxParameters) return true;
  }
  return false;
}
