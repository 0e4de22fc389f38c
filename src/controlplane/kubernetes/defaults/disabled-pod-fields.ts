import type { JsonObject } from '@flotilla/json';
import { itemsOf, objectOf } from './set-defaults.ts';

/** Removes pod spec members of features that are disabled by default, as Kubernetes does. */
export function removeDisabledFields(spec: JsonObject): void {
  delete spec.schedulingGroup;
  for (const list of ['containers', 'initContainers', 'ephemeralContainers']) {
    for (const container of itemsOf(spec, list)) removeStopSignal(container);
  }
  for (const volume of itemsOf(spec, 'volumes')) {
    for (const source of itemsOf(objectOf(volume, 'projected'), 'sources')) {
      delete source.clusterTrustBundle;
      delete source.podCertificate;
    }
  }
}

function removeStopSignal(container: JsonObject): void {
  const lifecycle = objectOf(container, 'lifecycle');
  if (lifecycle?.stopSignal === undefined) return;
  delete lifecycle.stopSignal;
  if (Object.keys(lifecycle).length === 0) delete container.lifecycle;
}
