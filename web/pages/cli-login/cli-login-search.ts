/** The URL parameters of the page that `flotilla login` opens. */
export interface AuthorizeCliSearch {
  readonly client?: string;
  readonly challenge?: string;
  readonly state?: string;
  readonly port?: string;
}

export function authorizeCliSearch(search: Record<string, unknown>): AuthorizeCliSearch {
  return { ...text(search, 'client'), ...text(search, 'challenge'), ...text(search, 'state'), ...text(search, 'port') };
}

/** Reads the URL parameters of the page for device codes. A link can contain the code, so the user need not type it. */
export function deviceSearch(search: Record<string, unknown>): { readonly code?: string } {
  return text(search, 'code');
}

/** Returns a URL parameter as text. The router parses parameters that look like numbers as numbers. */
function text<Name extends string>(search: Record<string, unknown>, name: Name): { readonly [key in Name]?: string } {
  const value = search[name];
  return typeof value === 'string' || typeof value === 'number'
    ? ({ [name]: String(value) } as { readonly [key in Name]: string })
    : {};
}
