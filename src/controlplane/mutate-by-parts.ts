import type { KubeObject } from '../api/meta.ts';
import type { MutationAttributes } from '../registry/mutation-attributes.ts';
import { ObjectMutation } from './object-mutation.ts';
import type { PlanePart } from './plane-part.ts';

/** Calls `mutate` of each part, and once more if needed. Returns the object to write. */
export async function mutateByParts(parts: readonly PlanePart[], write: MutationAttributes): Promise<KubeObject> {
  const mutation = new ObjectMutation(write);
  const round = async () => {
    for (const part of parts) if (part.isMutating?.() === true) await part.mutate?.(mutation);
  };
  await round();
  if (mutation.startReinvocation()) await round();
  return mutation.object;
}
