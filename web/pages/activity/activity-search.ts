/** The URL parameters of the page: the name of the objects whose activity is listed, or a part of the name. */
export interface ActivitySearch {
  readonly name?: string | undefined;
}

export function activitySearch({ name }: Record<string, unknown>): ActivitySearch {
  // Converts the name to text, because the router parses a name that consists of digits as a number.
  const text = typeof name === 'string' || typeof name === 'number' ? String(name).trim() : '';
  return text === '' ? {} : { name: text };
}
