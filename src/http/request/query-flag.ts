/** Returns a boolean query parameter, parsed like Kubernetes does (rule REQ-04); `undefined` if it is absent. */
export function queryFlag(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  return value !== '0' && value.toLowerCase() !== 'false';
}
