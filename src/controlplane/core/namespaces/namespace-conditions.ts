import { type Condition, setCondition } from '../../../api/conditions.ts';

/** The contents that remain in a namespace after one attempt to delete all of them. */
export interface RemainingContents {
  /**
   * The number of remaining objects by resource. Keys are `<plural>.<group>`; for the core group they end with a dot.
   */
  readonly counts: ReadonlyMap<string, number>;
  /** The number of remaining objects with each finalizer, by the name of the finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** One error message for each kind whose objects could not be deleted. */
  readonly failures: readonly string[];
}

const successConditions: readonly Condition[] = [
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

/**
 * Updates the conditions of a namespace that is being deleted. Returns the list `before` itself if nothing has changed.
 */
export function namespaceDeletionConditions(before: Condition[], remains: RemainingContents, now: number): Condition[] {
  const found = failureConditions(remains);
  return successConditions.reduce((list, condition) => {
    const failed = found.find(({ type }) => type === condition.type);
    const { type, status, reason = '', message = '' } = failed ?? condition;
    // The members are in the order in which Kubernetes prints them.
    return setCondition(list, { type, status, lastTransitionTime: '', reason, message }, now);
  }, before);
}

function failureConditions({ counts, finalizers, failures }: RemainingContents): Condition[] {
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
