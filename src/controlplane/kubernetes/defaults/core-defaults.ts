import { cloneJson, isJsonObject, type JsonObject } from '@flotilla/json';
import type { StructDefault } from '../../../api/structs/struct-defaults.ts';
import { copyTemplateLabels } from './batch-defaults.ts';
import { roundResourceLists } from './resource-lists.ts';
import { objectMember, objectOf, setIfAbsent, setIfZero } from './set-defaults.ts';

const replicationController: StructDefault = (object, now) => {
  const spec = objectOf(object, 'spec');
  const labels = objectOf(objectOf(objectOf(spec, 'template'), 'metadata'), 'labels');
  const isUnset = Object.keys(objectOf(spec, 'selector') ?? {}).length === 0;
  if (spec !== undefined && labels !== undefined && isUnset) spec.selector = cloneJson(labels);
  copyTemplateLabels(object, now);
};

/** Adds the entries of `source` to `target`, except keys that `target` already has. */
function addMissing(target: JsonObject, source: JsonObject | undefined): void {
  for (const [name, value] of Object.entries(source ?? {})) target[name] ??= value;
}

const limitRangeItem: StructDefault = (item) => {
  if (item.type === 'Container') {
    item.default ??= {};
    item.defaultRequest ??= {};
    const { default: limits, defaultRequest: requests } = item;
    if (isJsonObject(limits) && isJsonObject(requests)) {
      addMissing(limits, objectOf(item, 'max'));
      addMissing(requests, limits);
      addMissing(requests, objectOf(item, 'min'));
    }
  }
  roundResourceLists(item, 'max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio');
};

const nodeStatus: StructDefault = (status) => {
  const capacity = objectOf(status, 'capacity');
  if (capacity !== undefined) setIfAbsent(status, { allocatable: cloneJson(capacity) });
  roundResourceLists(status, 'capacity', 'allocatable');
};

/**
 * The defaults of a PersistentVolume object. A volume inside another object, such as a VolumeAttachment, does not get
 * these defaults.
 */
const persistentVolume: StructDefault = (object) => {
  const spec = objectMember(object, 'spec');
  setIfZero(spec, { persistentVolumeReclaimPolicy: 'Retain' });
  setIfAbsent(spec, { volumeMode: 'Filesystem' });
  roundResourceLists(spec, 'capacity');
};

const tcpPort: StructDefault = (port) => setIfZero(port, { protocol: 'TCP' });

/** The defaults of the kinds of core/v1, except services, pods and pod templates. */
export const coreDefaults: Readonly<Record<string, StructDefault>> = {
  'core.ReplicationController': replicationController,
  'core.LimitRangeItem': limitRangeItem,
  'core.NodeStatus': nodeStatus,
  'core.PersistentVolume': persistentVolume,
  'core.PersistentVolumeStatus': (status) => setIfZero(status, { phase: 'Pending' }),
  'core.PersistentVolumeClaimSpec': (spec) => setIfAbsent(spec, { volumeMode: 'Filesystem' }),
  'core.PersistentVolumeClaimStatus': (status) => {
    setIfZero(status, { phase: 'Pending' });
    roundResourceLists(status, 'capacity', 'allocatedResources');
  },
  'core.EndpointPort': tcpPort,
};
