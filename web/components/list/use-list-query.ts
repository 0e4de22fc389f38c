import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { ListQuery } from '../../data/rows/query-rows.ts';

/** Returns the search, filters and sort order of a list. They are stored in the URL, so users can share the link. */
export function useListQuery(): readonly [ListQuery, (next: ListQuery) => void] {
  const search: { q?: unknown; sort?: unknown; filter?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const { q, sort, filter } = search;
  const filterKey = JSON.stringify(filter ?? {});
  const selection = useMemo(
    (): ListQuery => ({
      search: typeof q === 'string' || typeof q === 'number' ? String(q) : undefined,
      sort: typeof sort === 'string' ? sort : undefined,
      filter: textsOf(filterKey),
    }),
    [q, sort, filterKey],
  );
  const select = (next: ListQuery) => {
    const isFiltered = next.filter !== undefined && Object.keys(next.filter).length > 0;
    void navigate({
      to: '.',
      replace: true,
      search: (before) => ({
        ...before,
        q: next.search === '' ? undefined : next.search,
        sort: next.sort === '' ? undefined : next.sort,
        filter: isFiltered ? next.filter : undefined,
      }),
    });
  };
  return [selection, select];
}

function textsOf(json: string): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(JSON.parse(json) as object)) {
    if (typeof value === 'string') texts[name] = value;
  }
  return texts;
}
