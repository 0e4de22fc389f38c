/** Joins `spec` and `owner` to `spec.owner`. The empty parent is the root. */
export function childPath(parent: string, name: string): string {
  return parent === '' ? name : `${parent}.${name}`;
}

export function indexPath(parent: string, index: number): string {
  return `${parent}[${index}]`;
}

/** Returns the path of a map member. Kubernetes prints its key in brackets. */
export function keyPath(parent: string, key: string): string {
  return `${parent}[${key}]`;
}
