import type { JsonObject } from '@flotilla/json';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { isUnset, itemsAt, numberOf, textOf } from '../checks.ts';
import { faultErrors, nonNegativeErrors } from '../field-rules.ts';
import { portNameErrors, portNumberErrors } from '../port-rules.ts';
import { regexMessage } from '../regex-message.ts';
import { isSet, type PodContext, structAt } from './pod-context.ts';

const schemes = ['HTTP', 'HTTPS'];
const probeHandlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'];
const lifecycleHandlers = ['exec', 'httpGet', 'tcpSocket', 'sleep'];

function portErrors(action: JsonObject, path: string): FieldError[] {
  const at = childPath(path, 'port');
  const port = action.port ?? 0;
  return typeof port === 'string' ? portNameErrors(at, port) : portNumberErrors(at, numberOf(port));
}

function headerFaults(name: string): string[] {
  const rule = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return /^[-A-Za-z0-9]+$/.test(name) ? [] : [regexMessage(rule, '[-A-Za-z0-9]+', 'X-Header-Name')];
}

function* httpErrors(action: JsonObject, path: string): Generator<FieldError> {
  if (isUnset(action.path ?? undefined)) yield required(childPath(path, 'path'));
  yield* portErrors(action, path);
  const scheme = textOf(action.scheme);
  if (!schemes.includes(scheme)) yield notSupported(childPath(path, 'scheme'), scheme, schemes);
  for (const [header] of itemsAt(action, 'httpHeaders', path)) {
    const name = textOf(header.name);
    yield* faultErrors(childPath(path, 'httpHeaders'), name, headerFaults(name));
  }
}

function* sleepErrors(action: JsonObject, path: string, gracePeriod: number | undefined): Generator<FieldError> {
  const seconds = numberOf(action.seconds);
  if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return;
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`;
  yield invalid(path, seconds, detail);
}

function* actionErrors(name: string, action: JsonObject, path: string, { gracePeriod }: PodContext) {
  if (name === 'exec') {
    if (isUnset(action.command ?? undefined)) yield required(childPath(path, 'command'));
  } else if (name === 'httpGet') yield* httpErrors(action, path);
  else if (name === 'sleep') yield* sleepErrors(action, path, gracePeriod);
  else yield* portErrors(action, path);
}

interface Handler {
  readonly value: JsonObject;
  readonly path: string;
  /** The names of the actions that the handler may have. */
  readonly actions: readonly string[];
}

/** Validates a handler. Kubernetes validates only the first action and forbids further actions. */
function* handlerErrors({ value, path, actions }: Handler, pod: PodContext): Generator<FieldError> {
  const [first, ...others] = actions.filter((name) => isSet(value[name]));
  if (first === undefined) {
    yield required(path, 'must specify a handler type');
    return;
  }
  yield* actionErrors(first, structAt(value, first) ?? {}, childPath(path, first), pod);
  for (const name of others) yield forbiddenField(childPath(path, name), 'may not specify more than 1 handler type');
}

function* probeErrors(container: JsonObject, name: string, path: string, pod: PodContext): Generator<FieldError> {
  const probe = structAt(container, name);
  if (probe === undefined) return;
  const at = childPath(path, name);
  yield* handlerErrors({ value: probe, path: at, actions: probeHandlers }, pod);
  const counts = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];
  for (const count of counts) yield* nonNegativeErrors(childPath(at, count), numberOf(probe[count]));
  const gracePath = childPath(at, 'terminationGracePeriodSeconds');
  const isGraceSet = isSet(probe.terminationGracePeriodSeconds);
  const grace = numberOf(probe.terminationGracePeriodSeconds);
  if (isGraceSet && grace <= 0) yield invalid(gracePath, grace, 'must be greater than 0');
  const threshold = numberOf(probe.successThreshold);
  if (name === 'readinessProbe') {
    if (isGraceSet) yield invalid(gracePath, grace, 'must not be set for readinessProbes');
  } else if (threshold !== 1) yield invalid(childPath(at, 'successThreshold'), threshold, 'must be 1');
}

const probeNames = ['livenessProbe', 'readinessProbe', 'startupProbe'];

/** Returns the errors of the hooks and probes of a container. */
export function* lifecycleErrors(container: JsonObject, path: string, pod: PodContext): Generator<FieldError> {
  const lifecycle = structAt(container, 'lifecycle') ?? {};
  for (const name of ['postStart', 'preStop']) {
    const value = structAt(lifecycle, name);
    const at = `${path}.lifecycle.${name}`;
    if (value !== undefined) yield* handlerErrors({ value, path: at, actions: lifecycleHandlers }, pod);
  }
  for (const name of probeNames) yield* probeErrors(container, name, path, pod);
}

/** Forbids hooks and probes of init containers that are not sidecars. */
export function* forbiddenLifecycleErrors(container: JsonObject, path: string): Generator<FieldError> {
  for (const name of ['lifecycle', ...probeNames]) {
    if (!isSet(container[name])) continue;
    yield forbiddenField(childPath(path, name), 'may not be set for init containers without restartPolicy=Always');
  }
}
