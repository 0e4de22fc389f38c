import { flagAt, isJsonObject, type JsonValue, listAt, numberAt, objectAt, textAt } from '@flotilla/json';
import type { KubeObject } from '../../../../src/api/meta.ts';

/** A container of a pod, with the data that the log and shell pages need. */
export interface PodContainer {
  readonly name: string;
  readonly isInit: boolean;
  readonly isRunning: boolean;
  /** True if the container was restarted, so a log of its previous run may exist. */
  readonly hasPrevious: boolean;
  /** The state that the console shows, such as "Running", "CrashLoopBackOff" or "Completed". */
  readonly state: string;
}

const defaultContainerAnnotation = 'kubectl.kubernetes.io/default-container';

const lists = [
  { spec: 'containers', status: 'containerStatuses', isInit: false },
  { spec: 'initContainers', status: 'initContainerStatuses', isInit: true },
  { spec: 'ephemeralContainers', status: 'ephemeralContainerStatuses', isInit: false },
] as const;

/** Returns the containers of a pod. The first container in the list is the one that kubectl selects by default. */
export function podContainers(pod: KubeObject): readonly PodContainer[] {
  const [spec, status] = [objectAt(pod, 'spec'), objectAt(pod, 'status')];
  const all = lists.flatMap(({ spec: specList, status: statusList, isInit }) => {
    const statuses = listAt(status, statusList);
    return listAt(spec, specList).map((container) => {
      const name = textAt(container, 'name');
      return containerOf(
        name,
        isInit,
        statuses.find((each) => textAt(each, 'name') === name),
      );
    });
  });
  const preferred = pod.metadata.annotations?.[defaultContainerAnnotation];
  const first = all.find(({ name }) => name === preferred);
  return first === undefined ? all : [first, ...all.filter((each) => each !== first)];
}

function containerOf(name: string, isInit: boolean, status: JsonValue | undefined): PodContainer {
  const state = objectAt(status, 'state') ?? {};
  const isRunning = isJsonObject(state.running);
  const reason = textAt(state, 'waiting', 'reason') || textAt(state, 'terminated', 'reason');
  return {
    name,
    isInit,
    isRunning,
    hasPrevious: (numberAt(status, 'restartCount') ?? 0) > 0,
    state: isRunning
      ? flagAt(status, 'ready') === true || isInit
        ? 'Running'
        : 'Running, not ready'
      : reason || 'Waiting',
  };
}

/** Returns the reason why a pod has no node to run on; `undefined` if the pod has a node. */
export function unscheduledReason(pod: KubeObject): string | undefined {
  if (textAt(pod, 'spec', 'nodeName') !== '') return undefined;
  const conditions = listAt(objectAt(pod, 'status'), 'conditions');
  const scheduled = conditions.find((each) => textAt(each, 'type') === 'PodScheduled');
  return textAt(scheduled, 'message') || 'The pod has not been assigned to a node yet.';
}
