/** A boolean of the query as Kubernetes reads it (rule REQ-04): undefined if it was not sent at all. */
export function queryFlag(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  return value !== '0' && value.toLowerCase() !== 'false';
}
