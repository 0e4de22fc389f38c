/** The URL parameters of the page: the name, or a part of it, of the objects whose activity is listed. */
export interface ActivitySearch {
  readonly name?: string | undefined;
}

export function activitySearch({ name }: Record<string, unknown>): ActivitySearch {
  // The router parses a name that consists of digits as a number.
  const text = typeof name === 'string' || typeof name === 'number' ? String(name).trim() : '';
  return text === '' ? {} : { name: text };
}
