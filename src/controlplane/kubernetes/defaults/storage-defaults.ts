import type { StructDefault } from '../../../api/structs/struct-defaults.ts';
import { isEmptyList, setIfAbsent } from './set-defaults.ts';

/** The defaults of storage.k8s.io/v1. */
export const storageDefaults: Readonly<Record<string, StructDefault>> = {
  'storage.StorageClass': (storageClass) =>
    setIfAbsent(storageClass, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  'storage.CSIDriverSpec': (spec) => {
    setIfAbsent(spec, {
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      requiresRepublish: false,
      seLinuxMount: false,
    });
    if (isEmptyList(spec.volumeLifecycleModes)) spec.volumeLifecycleModes = ['Persistent'];
  },
};
