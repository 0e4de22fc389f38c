import { isJsonObject, type JsonValue } from '@flotilla/json';
import { ageColumn, column } from '../../../api/columns.ts';
import type { KubeObject } from '../../../api/meta.ts';
import type { KubernetesKind } from '../kubernetes-kind.ts';
import { itemsAt, objectAt, textOf } from '../rules/checks.ts';
import { claimTemplateErrors, claimTemplateUpdateErrors } from './claim-template-rules.ts';
import { deviceClassErrors } from './device-class-rules.ts';
import { resourceClaim } from './resource-claims.ts';
import { sliceErrors } from './slice-rules.ts';

const group = 'resource.k8s.io';

/** The kind DeviceClass of resource.k8s.io/v1. */
const deviceClass: KubernetesKind = {
  struct: 'resource.DeviceClass',
  group,
  plural: 'deviceclasses',
  namespaced: false,
  description: 'A class of devices that claims can request.',
  generation: { first: 1, increasedBy: 'spec' },
  unconditionalUpdate: true,
  returnsDeleted: true,
  validate: deviceClassErrors,
};

/** The kind ResourceClaimTemplate of resource.k8s.io/v1. */
export const claimTemplate: KubernetesKind = {
  struct: 'resource.ResourceClaimTemplate',
  group,
  plural: 'resourceclaimtemplates',
  namespaced: true,
  description: 'A template for the claims that a controller creates for pods.',
  unconditionalUpdate: true,
  returnsDeleted: true,
  validate: claimTemplateErrors,
  validateUpdate: claimTemplateUpdateErrors,
};

/** Removes the members of features that Kubernetes disables by default. */
function removeDisabledFields(object: KubeObject): void {
  for (const [device] of itemsAt(objectAt(object as JsonValue, 'spec'), 'devices', '')) {
    delete device.nodeAllocatableResourceMappings;
    for (const attribute of Object.values(objectAt(device, 'attributes'))) {
      if (isJsonObject(attribute)) for (const name of ['ints', 'bools', 'strings', 'versions']) delete attribute[name];
    }
  }
}

function driverWarnings(object: KubeObject): string[] {
  const driver = textOf(objectAt(object as JsonValue, 'spec').driver);
  if (driver === driver.toLowerCase()) return [];
  return [`spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`];
}

/** The kind ResourceSlice of resource.k8s.io/v1, for slices of device pools. */
const resourceSlice: KubernetesKind = {
  struct: 'resource.ResourceSlice',
  group,
  plural: 'resourceslices',
  namespaced: false,
  description: 'Some of the devices of a pool, which a driver offers.',
  selectableFields: ['spec.nodeName', 'spec.driver'],
  generation: { first: 1, increasedBy: 'spec' },
  unconditionalUpdate: true,
  returnsDeleted: true,
  prepare: removeDisabledFields,
  validate: (object) => sliceErrors(object),
  validateUpdate: (object, old) => sliceErrors(object, old),
  warnings: driverWarnings,
  columns: [
    column('Node', (object) => textOf(objectAt(object as JsonValue, 'spec').nodeName), {
      description: 'The node of the devices.',
    }),
    column('Driver', 'spec.driver', { description: 'The driver of the devices.' }),
    column('Pool', 'spec.pool.name', { description: 'The pool of the devices.' }),
    ageColumn,
  ],
};

/** The kinds of resource.k8s.io/v1. No component allocates devices on the built-in cluster. */
export const deviceKinds: readonly KubernetesKind[] = [deviceClass, resourceClaim, claimTemplate, resourceSlice];
