import type { JsonObject } from '@flotilla/json';
import type { StructDefault } from '../../../api/structs/struct-defaults.ts';
import { defaultPodResources } from './pod-resources.ts';
import { itemsOf, objectMember, objectOf, setIfAbsent, setIfZero } from './set-defaults.ts';

/** Sets the missing requests of a container to its limits. */
function requestLimits(container: JsonObject): void {
  const resources = objectOf(container, 'resources');
  const limits = objectOf(resources, 'limits');
  if (resources === undefined || limits === undefined) return;
  setIfAbsent(objectMember(resources, 'requests'), limits);
}

/** Sets the missing host ports of a container that uses the network of its node. */
function setHostPorts(container: JsonObject): void {
  for (const port of itemsOf(container, 'ports')) {
    if (port.containerPort !== undefined) setIfZero(port, { hostPort: port.containerPort });
  }
}

/** These defaults apply to pods only, not to pod templates. */
const pod: StructDefault = (object) => {
  const spec = objectMember(object, 'spec');
  const containers = [...itemsOf(spec, 'containers'), ...itemsOf(spec, 'initContainers')];
  for (const container of containers) requestLimits(container);
  defaultPodResources(spec);
  setIfAbsent(spec, { enableServiceLinks: true });
  if (spec.hostNetwork === true) for (const container of containers) setHostPorts(container);
};

/** The defaults of pods, in addition to the defaults of pod templates. */
export const podDefaults: Readonly<Record<string, StructDefault>> = { 'core.Pod': pod };
