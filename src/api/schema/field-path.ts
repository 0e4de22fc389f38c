/** Joins `spec` and `owner` to `spec.owner`. The root has no name. */
export function childPath(parent: string, name: string): string {
  return parent === '' ? name : `${parent}.${name}`;
}

export function indexPath(parent: string, index: number): string {
  return `${parent}[${index}]`;
}

/** The path of a map member, whose key Kubernetes prints in brackets. */
export function keyPath(parent: string, key: string): string {
  return `${parent}[${key}]`;
}
