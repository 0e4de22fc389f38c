/** `spec` and `owner` make `spec.owner`; the root has no name. */
export function childPath(parent: string, name: string): string {
  return parent === '' ? name : `${parent}.${name}`;
}

export function indexPath(parent: string, index: number): string {
  return `${parent}[${index}]`;
}

/** A member of a map, where Kubernetes writes its name in brackets. */
export function keyPath(parent: string, key: string): string {
  return `${parent}[${key}]`;
}
