import { timestamp } from '@flotilla/kubernetes-formats';
import type { StructDefault } from '../../../api/structs/struct-defaults.ts';
import { setIfAbsent, setIfZero } from './set-defaults.ts';

const request: StructDefault = (object) => {
  setIfZero(object, { allocationMode: 'ExactCount' });
  if (object.allocationMode === 'ExactCount') setIfZero(object, { count: 1 });
};

/** The defaults of resource.k8s.io/v1. */
export const resourceDefaults: Readonly<Record<string, StructDefault>> = {
  'resource.ExactDeviceRequest': request,
  'resource.DeviceSubRequest': request,
  'resource.DeviceTaint': (taint, now) => setIfAbsent(taint, { timeAdded: timestamp(now) }),
  'resource.NodeAllocatableResourceMapping': (mapping) => setIfAbsent(mapping, { allocationMultiplier: '1' }),
};
