import { isJsonObject, type JsonObject, type JsonValue, textAt, valueAt } from '@flotilla/json';
import { timestamp } from '@flotilla/kubernetes-formats';
import { ageColumn, column, createdAtColumn } from '../../../api/columns.ts';
import type { KubeObject } from '../../../api/meta.ts';
import type { Column } from '../../../api/resource.ts';
import type { KubernetesKind } from '../kubernetes-kind.ts';
import { objectAt, textOf } from '../rules/checks.ts';
import { attachmentErrors, attachmentUpdateErrors } from '../rules/volumes/attachment-rules.ts';
import {
  claimErrors,
  claimStatusErrors,
  claimUpdateErrors,
  claimWarnings,
  normalizeDataSources,
} from '../rules/volumes/claim-rules.ts';
import { classAnnotation } from '../rules/volumes/class-annotations.ts';
import { limitRangeErrors } from '../rules/volumes/limit-range-rules.ts';
import { volumeErrors, volumeUpdateErrors, volumeWarnings } from '../rules/volumes/persistent-volume-rules.ts';

const shortModes: ReadonlyMap<string, string> = new Map([
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]);

function accessModes(modes: JsonValue | undefined): string {
  const listed = new Set(Array.isArray(modes) ? modes : []);
  return [...shortModes].flatMap(([mode, short]) => (listed.has(mode) ? [short] : [])).join(',');
}

function phaseOf(object: KubeObject): string {
  const isTerminating = object.metadata.deletionTimestamp !== undefined;
  return isTerminating ? 'Terminating' : textAt(object as JsonValue, 'status', 'phase');
}

const classNameOf = (object: KubeObject) =>
  object.metadata.annotations?.[classAnnotation] ?? textAt(object as JsonValue, 'spec', 'storageClassName');

/** Returns a column with a member of the spec, or `<unset>`. */
function specColumn(name: string, member: string, options: { description: string; wide?: boolean }): Column {
  const value = (object: KubeObject) => valueAt(object as JsonValue, 'spec', member) ?? '<unset>';
  return column(name, value, { path: `spec.${member}`, ...options });
}

const statusColumn = column('Status', phaseOf, { description: 'The phase of the object.', path: 'status.phase' });
const classColumn = column('StorageClass', classNameOf, {
  description: 'The name of the storage class.',
  path: 'spec.storageClassName',
});
const attributesColumn = specColumn('VolumeAttributesClass', 'volumeAttributesClassName', {
  description: 'The name of the volume attributes class.',
});
const modeColumn = specColumn('VolumeMode', 'volumeMode', {
  description: 'Filesystem, or Block for a volume without a file system.',
  wide: true,
});

function claimOf(object: KubeObject): string {
  const claim = valueAt(object as JsonValue, 'spec', 'claimRef');
  return isJsonObject(claim) ? `${textOf(claim.namespace)}/${textOf(claim.name)}` : '';
}

/** Sets the time of the last change of the phase, unless the client set it. */
function setPhaseTime(object: KubeObject, old: KubeObject): void {
  const status = objectAt(object as JsonObject, 'status');
  const before = objectAt(old as JsonObject, 'status');
  const time = status.lastPhaseTransitionTime ?? null;
  const oldTime = before.lastPhaseTransitionTime ?? null;
  const isSamePhase = textOf(status.phase) === textOf(before.phase);
  if (isSamePhase && time === null && oldTime !== null) status.lastPhaseTransitionTime = oldTime;
  if (!isSamePhase && (time === null || time === oldTime)) status.lastPhaseTransitionTime = timestamp(Date.now());
}

const persistentVolume: KubernetesKind = {
  struct: 'core.PersistentVolume',
  group: '',
  plural: 'persistentvolumes',
  shortNames: ['pv'],
  namespaced: false,
  description: 'A volume that claims can use.',
  returnsDeleted: true,
  unconditionalUpdate: true,
  prepare(object, old) {
    if (old === undefined) object.status = { phase: 'Pending', lastPhaseTransitionTime: timestamp(Date.now()) };
  },
  status: { keeps: [], prepare: setPhaseTime },
  validate: volumeErrors,
  validateUpdate: volumeUpdateErrors,
  warnings: volumeWarnings,
  columns: [
    column('Capacity', (object) => textAt(object as JsonValue, 'spec', 'capacity', 'storage') || '0', {
      description: 'The size of the volume.',
    }),
    column('Access Modes', (object) => accessModes(valueAt(object as JsonValue, 'spec', 'accessModes')), {
      description: 'The ways in which nodes can use the volume.',
    }),
    column('Reclaim Policy', 'spec.persistentVolumeReclaimPolicy', {
      description: 'The action on the volume when its claim is deleted: Delete, Recycle or Retain.',
    }),
    statusColumn,
    column('Claim', claimOf, { description: 'The claim that uses the volume.' }),
    classColumn,
    attributesColumn,
    column('Reason', (object) => textAt(object as JsonValue, 'status', 'reason'), {
      description: 'The reason for the phase.',
      path: 'status.reason',
    }),
    ageColumn,
    modeColumn,
  ],
};

/** Returns a member of the status of a claim that has a volume. */
function boundStatus(object: KubeObject, ...path: string[]): JsonValue | undefined {
  const hasVolume = textAt(object as JsonValue, 'spec', 'volumeName') !== '';
  return hasVolume ? valueAt(object as JsonValue, 'status', ...path) : undefined;
}

function boundCapacity(object: KubeObject): JsonValue {
  const hasVolume = textAt(object as JsonValue, 'spec', 'volumeName') !== '';
  return boundStatus(object, 'capacity', 'storage') ?? (hasVolume ? '0' : '');
}

const persistentVolumeClaim: KubernetesKind = {
  struct: 'core.PersistentVolumeClaim',
  group: '',
  plural: 'persistentvolumeclaims',
  shortNames: ['pvc'],
  namespaced: true,
  description: 'A request for a volume.',
  returnsDeleted: true,
  unconditionalUpdate: true,
  prepare(object, old) {
    if (old === undefined) object.status = { phase: 'Pending' };
    normalizeDataSources(object, old);
  },
  status: { keeps: [], validate: claimStatusErrors },
  validate: claimErrors,
  validateUpdate: claimUpdateErrors,
  warnings: claimWarnings,
  columns: [
    statusColumn,
    column('Volume', (object) => textAt(object as JsonValue, 'spec', 'volumeName'), {
      description: 'The name of the volume.',
      path: 'spec.volumeName',
    }),
    column('Capacity', boundCapacity, { description: 'The size of the volume.' }),
    column('Access Modes', (object) => accessModes(boundStatus(object, 'accessModes')), {
      description: 'The ways in which nodes can use the volume.',
    }),
    classColumn,
    attributesColumn,
    ageColumn,
    modeColumn,
  ],
};

/** The kinds of volumes in core/v1, and their limits. */
export const volumeKinds: readonly KubernetesKind[] = [
  persistentVolume,
  persistentVolumeClaim,
  {
    struct: 'core.LimitRange',
    group: '',
    plural: 'limitranges',
    shortNames: ['limits'],
    namespaced: true,
    description: 'Limits for the resources of the pods and claims in a namespace.',
    unconditionalUpdate: true,
    createOnUpdate: true,
    validate: limitRangeErrors,
    columns: [createdAtColumn],
  },
];

/** The kind of storage.k8s.io/v1 that attaches volumes to nodes. */
export const volumeAttachment: KubernetesKind = {
  struct: 'storage.VolumeAttachment',
  group: 'storage.k8s.io',
  plural: 'volumeattachments',
  namespaced: false,
  description: 'The intent to attach a volume to a node.',
  returnsDeleted: true,
  unconditionalUpdate: false,
  status: { keeps: 'all', validate: attachmentUpdateErrors },
  validate: attachmentErrors,
  validateUpdate: attachmentUpdateErrors,
  columns: [
    { ...column('Attacher', 'spec.attacher', { description: 'The CSI driver.' }), format: 'name' },
    column('PV', (object) => textAt(object as JsonValue, 'spec', 'source', 'persistentVolumeName'), {
      description: 'The name of the volume.',
      path: 'spec.source.persistentVolumeName',
    }),
    column('Node', 'spec.nodeName', { description: 'The name of the node.' }),
    {
      ...column('Attached', (object) => valueAt(object as JsonValue, 'status', 'attached') === true, {
        type: 'boolean',
        description: 'True if the volume is attached.',
      }),
      announcedType: 'boolean',
    },
    ageColumn,
  ],
};
