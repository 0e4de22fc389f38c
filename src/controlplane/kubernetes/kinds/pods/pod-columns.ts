import {
  flagAt,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  numberAt,
  objectAt,
  textAt,
} from '@flotilla/json';
import { ageColumn, column } from '../../../../api/columns.ts';
import type { KubeObject } from '../../../../api/meta.ts';
import type { Column } from '../../../../api/resource.ts';
import { formatAge } from '../../../../api/table.ts';
import { podCondition } from './pod-conditions.ts';

/** The state of a pod as `kubectl get pods` shows it. */
interface PodSummary {
  readonly ready: number;
  readonly total: number;
  readonly reason: string;
  readonly restarts: number;
  /** The time of the last restart; '' if there was none. */
  readonly lastRestart: string;
}

const isSidecar = (container: JsonObject | undefined) => container?.restartPolicy === 'Always';

/** Counts restarts and records the time of the last one. */
class Restarts {
  count = 0;
  last = '';

  add(status: JsonValue): void {
    this.count += numberAt(status, 'restartCount') ?? 0;
    const end = textAt(status, 'lastState', 'terminated', 'finishedAt');
    if (end > this.last) this.last = end;
  }
}

/** The result of the init containers. `reason` is set until all init containers are done. */
interface InitSummary {
  readonly reason: string | undefined;
  readonly ready: number;
  readonly restarts: Restarts;
  readonly ofSidecars: Restarts;
}

function initSummary(pod: JsonValue): InitSummary {
  const containers = new Map<string, JsonObject>();
  for (const container of listAt(pod, 'spec', 'initContainers')) {
    if (isJsonObject(container)) containers.set(textAt(container, 'name'), container);
  }
  const total = listAt(pod, 'spec', 'initContainers').length;
  const [restarts, ofSidecars] = [new Restarts(), new Restarts()];
  let ready = 0;
  for (const [index, status] of listAt(pod, 'status', 'initContainerStatuses').entries()) {
    const sidecar = isSidecar(containers.get(textAt(status, 'name')));
    restarts.add(status);
    if (sidecar) ofSidecars.add(status);
    const end = objectAt(status, 'state', 'terminated');
    if (end !== undefined && (numberAt(end, 'exitCode') ?? 0) === 0) continue;
    if (sidecar && flagAt(status, 'started')) {
      if (flagAt(status, 'ready')) ready += 1;
      continue;
    }
    const waiting = textAt(status, 'state', 'waiting', 'reason');
    const hasReason = waiting !== '' && waiting !== 'PodInitializing';
    const state = end === undefined ? (hasReason ? waiting : `${index}/${total}`) : endReason(end);
    return { reason: `Init:${state}`, ready, restarts, ofSidecars };
  }
  return { reason: undefined, ready, restarts, ofSidecars };
}

function endReason(end: JsonObject): string {
  const signal = numberAt(end, 'signal') ?? 0;
  return textAt(end, 'reason') || (signal === 0 ? `ExitCode:${numberAt(end, 'exitCode') ?? 0}` : `Signal:${signal}`);
}

/**
 * Returns the state of the containers as one reason, and the number of ready containers. `given` is the reason in the
 * status of the pod itself.
 */
function containerSummary(pod: JsonValue, given: string, restarts: Restarts): { reason: string; ready: number } {
  let [reason, failure, ready] = [given, '', 0];
  let isRunning = false;
  for (const status of listAt(pod, 'status', 'containerStatuses').toReversed()) {
    restarts.add(status);
    const waiting = textAt(status, 'state', 'waiting', 'reason');
    const end = objectAt(status, 'state', 'terminated');
    if (waiting !== '') reason = waiting;
    else if (end !== undefined) {
      reason = endReason(end);
      if ((numberAt(end, 'exitCode') ?? 0) !== 0) failure = reason;
    } else if (flagAt(status, 'ready') && objectAt(status, 'state', 'running') !== undefined) {
      isRunning = true;
      ready += 1;
    }
  }
  if (reason !== 'Completed') return { reason, ready };
  const isReady = textAt(podCondition(pod, 'Ready'), 'status') === 'True';
  if (isRunning && isReady) return { reason: 'Running', ready };
  return { reason: failure || (isRunning ? 'NotReady' : reason), ready };
}

function summaryOf(object: KubeObject): PodSummary {
  const pod = object as JsonValue;
  const phase = textAt(pod, 'status', 'phase');
  const isGated = textAt(podCondition(pod, 'PodScheduled'), 'reason') === 'SchedulingGated';
  let reason = isGated ? 'SchedulingGated' : textAt(pod, 'status', 'reason') || phase;
  const init = initSummary(pod);
  let [{ restarts }, ready] = [init, init.ready];
  if (init.reason !== undefined) reason = init.reason;
  if (init.reason === undefined || textAt(podCondition(pod, 'Initialized'), 'status') === 'True') {
    restarts = init.ofSidecars;
    const containers = containerSummary(pod, reason, restarts);
    reason = containers.reason;
    ready += containers.ready;
  }
  if (object.metadata.deletionTimestamp !== undefined) {
    if (textAt(pod, 'status', 'reason') === 'NodeLost') reason = 'Unknown';
    else if (phase !== 'Succeeded' && phase !== 'Failed') reason = 'Terminating';
  }
  const sidecars = listAt(pod, 'spec', 'initContainers').filter((one) => isJsonObject(one) && isSidecar(one));
  const total = listAt(pod, 'spec', 'containers').length + sidecars.length;
  return { ready, total, reason, restarts: restarts.count, lastRestart: restarts.last };
}

function restartsOf(object: KubeObject, now: number): string {
  const { restarts, lastRestart } = summaryOf(object);
  return restarts === 0 || lastRestart === '' ? `${restarts}` : `${restarts} (${formatAge(lastRestart, now)} ago)`;
}

function readinessOf(object: KubeObject): string {
  const gates = listAt(object as JsonValue, 'spec', 'readinessGates');
  if (gates.length === 0) return '<none>';
  const isOpen = (gate: JsonValue) =>
    textAt(podCondition(object as JsonValue, textAt(gate, 'conditionType')), 'status') === 'True';
  return `${gates.filter(isOpen).length}/${gates.length}`;
}

function wideColumn(name: string, description: string, ...path: readonly (string | number)[]): Column {
  return column(name, (object) => textAt(object as JsonValue, ...path) || '<none>', { description, wide: true });
}

/** The columns of pods. */
export const podColumns: readonly Column[] = [
  column('Ready', (object) => `${summaryOf(object).ready}/${summaryOf(object).total}`, {
    description: 'The numbers of ready and of all containers.',
  }),
  column('Status', (object) => summaryOf(object).reason, {
    description: 'The state of the pod.',
    path: 'status.phase',
  }),
  column('Restarts', restartsOf, {
    description: 'The number of restarts of containers, and the time of the last one.',
  }),
  ageColumn,
  wideColumn('IP', 'The address of the pod.', 'status', 'podIPs', 0, 'ip'),
  wideColumn('Node', 'The node of the pod.', 'spec', 'nodeName'),
  wideColumn('Nominated Node', 'The node on which pods of lower priority make room.', 'status', 'nominatedNodeName'),
  column('Readiness Gates', readinessOf, {
    description: 'The numbers of open and of all readiness gates.',
    wide: true,
  }),
];
