import { type Condition, setCondition } from '../../api/conditions.ts';

/** What is left of a namespace's contents after a round of deleting. */
export interface Remains {
  /** How many objects are left, by `<plural>.<group>` (the dot stands for the core group too). */
  readonly counts: ReadonlyMap<string, number>;
  /** How many of them each finalizer holds. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** What went wrong, one text for each kind. */
  readonly failures: readonly string[];
}

const fine: readonly Condition[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    status: 'False',
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    status: 'False',
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  {
    type: 'NamespaceDeletionContentFailure',
    status: 'False',
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
  {
    type: 'NamespaceContentRemaining',
    status: 'False',
    reason: 'ContentRemoved',
    message: 'All content successfully removed',
  },
  {
    type: 'NamespaceFinalizersRemaining',
    status: 'False',
    reason: 'ContentHasNoFinalizers',
    message: 'All content-preserving finalizers finished',
  },
];

/** The conditions of a namespace that is being deleted, in Kubernetes' words; the very same list if nothing changes. */
export function deletionConditions(before: Condition[], remains: Remains, now: number): Condition[] {
  const found = troubles(remains);
  return fine.reduce((list, condition) => {
    const trouble = found.find(({ type }) => type === condition.type);
    const { type, status, reason = '', message = '' } = trouble ?? condition;
    // In the order of the members of Go's type.
    return setCondition(list, { type, status, lastTransitionTime: '', reason, message }, now);
  }, before);
}

function troubles({ counts, finalizers, failures }: Remains): Condition[] {
  const found: Condition[] = [];
  if (failures.length > 0) {
    found.push({
      type: 'NamespaceDeletionContentFailure',
      status: 'True',
      reason: 'ContentDeletionFailed',
      message: `Failed to delete all resource types, ${failures.length} remaining: ${[...failures].sort().join(', ')}`,
    });
  }
  if (counts.size > 0) {
    const parts = [...counts].map(([resource, count]) => `${resource} has ${count} resource instances`);
    found.push({
      type: 'NamespaceContentRemaining',
      status: 'True',
      reason: 'SomeResourcesRemain',
      message: `Some resources are remaining: ${parts.sort().join(', ')}`,
    });
  }
  if (finalizers.size > 0) {
    const parts = [...finalizers].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
    found.push({
      type: 'NamespaceFinalizersRemaining',
      status: 'True',
      reason: 'SomeFinalizersRemain',
      message: `Some content in the namespace has finalizers remaining: ${parts.sort().join(', ')}`,
    });
  }
  return found;
}
