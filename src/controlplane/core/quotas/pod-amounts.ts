import { type JsonObject, type JsonValue, listAt, objectAt, textAt } from '@flotilla/json';
import {
  type Amounts,
  addAmount,
  amountsIn,
  amountsOf,
  amountsOfContainers,
  raiseAmounts,
} from '../../kubernetes/defaults/pod-resources.ts';

type Member = 'limits' | 'requests';

/**
 * Returns the amounts of a stored pod as a whole, including its overhead. During the resize of a container, the largest
 * of its old and new amounts counts.
 */
export function podAmounts(pod: JsonValue, member: Member): Amounts {
  const spec = objectAt(pod, 'spec') ?? {};
  const statuses = statusesOf(pod);
  const isInfeasible = listAt(pod, 'status', 'conditions').some(
    (one) => textAt(one, 'type') === 'PodResizePending' && textAt(one, 'reason') === 'Infeasible',
  );
  const total = amountsOfContainers(spec, member, (container) => {
    const status = statuses.get(textAt(container, 'name'));
    if (status === undefined) return amountsOf(container, member);
    const amounts = isInfeasible ? new Map() : amountsOf(container, member);
    raiseAmounts(amounts, amountsOf(status, member));
    if (member === 'requests') raiseAmounts(amounts, amountsIn(objectAt(status, 'allocatedResources')));
    return amounts;
  });
  for (const [name, amount] of amountsOf(spec, member)) total.set(name, amount);
  for (const [name, overhead] of amountsIn(objectAt(spec, 'overhead'))) {
    if (member === 'requests' || (total.get(name)?.billionths ?? 0n) !== 0n) addAmount(total, name, overhead);
  }
  return total;
}

/**
 * Returns the statuses that contain resources, by container. Only init containers that keep running have such a status.
 */
function statusesOf(pod: JsonValue): Map<string, JsonObject> {
  const restarted = listAt(pod, 'spec', 'initContainers').filter((one) => textAt(one, 'restartPolicy') === 'Always');
  const names = new Set([...listAt(pod, 'spec', 'containers'), ...restarted].map((one) => textAt(one, 'name')));
  const statuses = new Map<string, JsonObject>();
  for (const member of ['containerStatuses', 'initContainerStatuses']) {
    for (const item of listAt(pod, 'status', member)) {
      const status = objectAt(item);
      if (status === undefined || objectAt(status, 'resources') === undefined) continue;
      if (names.has(textAt(status, 'name'))) statuses.set(textAt(status, 'name'), status);
    }
  }
  return statuses;
}
