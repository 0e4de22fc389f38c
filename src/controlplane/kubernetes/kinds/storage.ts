import { flagAt, type JsonValue, listAt, textAt, textsAt, valueAt } from '@flotilla/json';
import { ageColumn, column, createdAtColumn } from '../../../api/columns.ts';
import type { KubeObject } from '../../../api/meta.ts';
import type { Column } from '../../../api/resource.ts';
import type { KubernetesKind } from '../kubernetes-kind.ts';
import {
  capacityErrors,
  capacityUpdateErrors,
  capacityWarnings,
  driverErrors,
  driverUpdateErrors,
  driverWarnings,
  nodeErrors,
  nodeUpdateErrors,
} from '../rules/csi-rules.ts';
import {
  attributesClassErrors,
  attributesClassUpdateErrors,
  storageClassErrors,
  storageClassUpdateErrors,
  storageClassWarnings,
} from '../rules/storage-class-rules.ts';
import { defaultClassAnnotations } from '../rules/volumes/class-annotations.ts';
import { classNameColumn, integerColumn, textColumn } from './columns.ts';

const group = 'storage.k8s.io';

const storageClass: KubernetesKind = {
  struct: 'storage.StorageClass',
  group,
  plural: 'storageclasses',
  shortNames: ['sc'],
  namespaced: false,
  description: 'A class of volumes: the program that makes them and its parameters.',
  unconditionalUpdate: true,
  returnsDeleted: true,
  validate: storageClassErrors,
  validateUpdate: storageClassUpdateErrors,
  warnings: storageClassWarnings,
  columns: [
    classNameColumn(defaultClassAnnotations),
    column('Provisioner', 'provisioner', { description: 'The program that makes volumes of this class.' }),
    textColumn('ReclaimPolicy', 'reclaimPolicy', {
      description: 'The action on a volume when its claim is deleted: Delete or Retain.',
      absent: 'Delete',
    }),
    textColumn('VolumeBindingMode', 'volumeBindingMode', {
      description: 'The time at which a volume is made: with its claim, or when a pod first uses it.',
      absent: 'Immediate',
    }),
    {
      ...column('AllowVolumeExpansion', (object) => flagAt(object as JsonValue, 'allowVolumeExpansion'), {
        type: 'boolean',
        description: 'If true, claims of this class can be enlarged.',
      }),
      announcedType: 'string',
    },
    ageColumn,
  ],
};

const volumeAttributesClass: KubernetesKind = {
  struct: 'storage.VolumeAttributesClass',
  group,
  plural: 'volumeattributesclasses',
  shortNames: ['vac'],
  namespaced: false,
  description: 'Attributes of volumes that can be changed while they are used.',
  unconditionalUpdate: true,
  returnsDeleted: true,
  validate: attributesClassErrors,
  validateUpdate: attributesClassUpdateErrors,
  columns: [column('DriverName', 'driverName', { description: 'The name of the CSI driver.' }), ageColumn],
};

/** Returns a column with a flag of the spec. Its value is `absent` if the flag is not set. */
function specFlag(name: string, member: string, options: { description: string; absent: boolean }): Column {
  const flag = (object: KubeObject) => valueAt(object as JsonValue, 'spec', member) ?? options.absent;
  return column(name, flag, { type: 'boolean', description: options.description, path: `spec.${member}` });
}

function audiences(object: KubeObject): string {
  const requests = listAt(object as JsonValue, 'spec', 'tokenRequests');
  return requests.length === 0 ? '<unset>' : requests.map((request) => textAt(request, 'audience')).join(',');
}

const csiDriver: KubernetesKind = {
  struct: 'storage.CSIDriver',
  group,
  plural: 'csidrivers',
  namespaced: false,
  description: 'A CSI driver and its properties.',
  generation: { first: 0, increasedBy: 'spec' },
  unconditionalUpdate: false,
  returnsDeleted: true,
  validate: driverErrors,
  validateUpdate: driverUpdateErrors,
  warnings: driverWarnings,
  columns: [
    specFlag('AttachRequired', 'attachRequired', { description: 'Volumes must be attached to a node.', absent: true }),
    specFlag('PodInfoOnMount', 'podInfoOnMount', { description: 'The driver needs data of the pod.', absent: false }),
    specFlag('StorageCapacity', 'storageCapacity', { description: 'The driver reports free capacity.', absent: false }),
    column('TokenRequests', audiences, { description: 'The audiences of the tokens that the driver needs.' }),
    specFlag('RequiresRepublish', 'requiresRepublish', {
      description: 'Volumes are published again periodically.',
      absent: false,
    }),
    column('Modes', (object) => textsAt(object as JsonValue, 'spec', 'volumeLifecycleModes').join(',') || '<none>', {
      description: 'The kinds of volumes that the driver supports.',
    }),
    ageColumn,
  ],
};

const csiNode: KubernetesKind = {
  struct: 'storage.CSINode',
  group,
  plural: 'csinodes',
  namespaced: false,
  description: 'The CSI drivers of a node.',
  unconditionalUpdate: false,
  returnsDeleted: true,
  validate: nodeErrors,
  validateUpdate: nodeUpdateErrors,
  columns: [
    integerColumn(
      'Drivers',
      (object) => listAt(object as JsonValue, 'spec', 'drivers').length,
      'The number of CSI drivers on the node.',
    ),
    ageColumn,
  ],
};

const csiStorageCapacity: KubernetesKind = {
  struct: 'storage.CSIStorageCapacity',
  group,
  plural: 'csistoragecapacities',
  namespaced: true,
  description: 'The free capacity of a storage class in a part of the cluster.',
  unconditionalUpdate: false,
  validate: capacityErrors,
  validateUpdate: capacityUpdateErrors,
  warnings: capacityWarnings,
  columns: [createdAtColumn],
};

/** The kinds of storage.k8s.io/v1. */
export const storageKinds: readonly KubernetesKind[] = [
  csiDriver,
  csiNode,
  csiStorageCapacity,
  storageClass,
  volumeAttributesClass,
];
