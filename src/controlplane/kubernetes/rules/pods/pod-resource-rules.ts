import { formatQuantity, type Quantity } from '@flotilla/kubernetes-formats';
import { type FieldError, forbiddenField, invalid } from '../../../../api/field-error.ts';
import { childPath, keyPath } from '../../../../api/schema/field-path.ts';
import { type Amounts, amountsOf, amountsOfContainers } from '../../defaults/pod-resources.ts';
import { itemsAt, objectAt } from '../checks.ts';
import { podResourceErrors } from '../resource-checks.ts';
import { isSet, type PodContext, structAt } from './pod-context.ts';
import { claimReferenceErrors } from './resource-claim-rules.ts';

/** Validates the resources of a pod as a whole. */
export function* podLevelErrors(pod: PodContext): Generator<FieldError> {
  const { spec, path } = pod;
  const resources = structAt(spec, 'resources');
  if (resources === undefined) return;
  const at = childPath(path, 'resources');
  if (objectAt(spec, 'os').name === 'windows') {
    yield forbiddenField(at, 'may not be set for a windows pod');
    return;
  }
  if (isSet(resources.claims)) {
    yield forbiddenField(childPath(at, 'claims'), 'claims may not be set for Resources at pod-level');
  }
  yield* podResourceErrors(resources, at);
  yield* claimReferenceErrors(resources, at, pod);
  yield* consistencyErrors(pod, at);
}

/** Checks that the containers do not request more than the pod has. */
function* consistencyErrors({ spec }: PodContext, path: string): Generator<FieldError> {
  const [limits, requests] = [amountsOf(spec, 'limits'), amountsOf(spec, 'requests')];
  const totals = (name: 'limits' | 'requests', least: Amounts, isCompared: (resource: string) => boolean) =>
    exceeding(amountsOfContainers(spec, name), least)
      .filter(([resource]) => isCompared(resource))
      .map(([resource, used, allowed]) => {
        const detail = `must be greater than or equal to aggregate container ${name} of ${formatQuantity(used)}`;
        return invalid(keyPath(childPath(path, name), resource), formatQuantity(allowed), detail);
      });
  yield* totals('requests', requests, () => true);
  yield* totals('limits', limits, (resource) => resource.startsWith('hugepages-'));
  for (const [container, at] of itemsAt(spec, 'containers', path)) {
    for (const [resource, used, allowed] of exceeding(amountsOf(container, 'limits'), limits)) {
      const detail = `must be less than or equal to pod limits of ${formatQuantity(allowed)}`;
      yield invalid(childPath(keyPath(at, resource), 'limits'), formatQuantity(used), detail);
    }
  }
}

/** Returns the resources whose amount in `used` exceeds that in `allowed`. */
function exceeding(used: Amounts, allowed: Amounts): [resource: string, used: Quantity, allowed: Quantity][] {
  return [...used].flatMap(([resource, amount]): [string, Quantity, Quantity][] => {
    const most = allowed.get(resource);
    return most !== undefined && amount.billionths > most.billionths ? [[resource, amount, most]] : [];
  });
}
