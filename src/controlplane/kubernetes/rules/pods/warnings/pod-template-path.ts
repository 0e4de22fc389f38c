import { kubernetesStructs } from '../../../../../api/structs/kubernetes-structs.ts';
import { isScalarType } from '../../../../../api/structs/struct-table.ts';

const known = new Map<string, readonly string[] | undefined>();

/** Returns the path of the pod template in objects of a kind: `spec`, `template`. `undefined` if there is none. */
export function podTemplatePath(struct: string): readonly string[] | undefined {
  if (!known.has(struct)) known.set(struct, findPath(struct, new Set()));
  return known.get(struct);
}

function findPath(struct: string, visited: Set<string>): readonly string[] | undefined {
  if (struct === 'core.PodTemplateSpec') return [];
  if (visited.has(struct)) return undefined;
  visited.add(struct);
  for (const { name, type, shape } of kubernetesStructs.fieldsOf(struct)?.fields ?? []) {
    if (isScalarType(type) || name === '' || shape === 'list' || shape === 'map') continue;
    const rest = findPath(kubernetesStructs.resolve(type, struct), visited);
    if (rest !== undefined) return [name, ...rest];
  }
  return undefined;
}
