import type { JsonObject } from '@flotilla/json';
import { duplicate, type FieldError, invalid, required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { itemsAt, numberOf, textOf } from '../checks.ts';
import { portNameErrors, portNumberErrors, protocolErrors } from '../port-rules.ts';
import type { PodContext } from './pod-context.ts';

export function* portErrors(container: JsonObject, path: string): Generator<FieldError> {
  const names = new Set<string>();
  for (const [port, at] of itemsAt(container, 'ports', path)) {
    const name = textOf(port.name);
    if (name !== '') {
      const errors = portNameErrors(childPath(at, 'name'), name);
      yield* errors;
      if (errors.length === 0 && names.has(name)) yield duplicate(childPath(at, 'name'), name);
      if (errors.length === 0) names.add(name);
    }
    const [number, hostPort] = [numberOf(port.containerPort), numberOf(port.hostPort)];
    if (number === 0) yield required(childPath(at, 'containerPort'));
    else yield* portNumberErrors(childPath(at, 'containerPort'), number);
    if (hostPort !== 0) yield* portNumberErrors(childPath(at, 'hostPort'), hostPort);
    yield* protocolErrors(childPath(at, 'protocol'), textOf(port.protocol));
  }
}

/** Returns errors for host ports that several containers use. `containers` are containers that run at the same time. */
export function* hostPortErrors(
  containers: readonly (readonly [container: JsonObject, path: string])[],
): Generator<FieldError> {
  const known = new Set<string>();
  for (const [container, path] of containers) {
    for (const [port, at] of itemsAt(container, 'ports', path)) {
      const number = numberOf(port.hostPort);
      if (number === 0) continue;
      const key = `${textOf(port.protocol)}/${textOf(port.hostIP)}/${number}`;
      if (known.has(key)) yield duplicate(childPath(at, 'hostPort'), key);
      known.add(key);
    }
  }
}

/**
 * Validates the host ports of a pod that uses the network of its node. A host port must then equal the container port.
 */
export function* hostNetworkPortErrors({ spec, path, isPod }: PodContext): Generator<FieldError> {
  if (spec.hostNetwork !== true) return;
  for (const [container, at] of itemsAt(spec, 'containers', path)) {
    for (const [port, portPath] of itemsAt(container, 'ports', at)) {
      const hostPort = numberOf(port.hostPort);
      // The host port may be absent in a pod template. It is set when a pod is created.
      if ((hostPort === 0 && !isPod) || hostPort === numberOf(port.containerPort)) continue;
      const detail = 'must match `containerPort` when `hostNetwork` is true';
      yield invalid(childPath(portPath, 'hostPort'), hostPort, detail);
    }
  }
}
