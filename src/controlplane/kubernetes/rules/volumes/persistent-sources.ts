import { isJsonObject } from '@flotilla/json';
import { required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import type { Check } from '../object-rules.ts';
import { persistentIscsi } from './iscsi-rules.ts';
import { oneSource, type VolumeSource } from './one-source.ts';
import * as source from './source-checks.ts';

/** A directory of a node. The volume must name the node. */
const local: Check = function* (value, position) {
  yield* source.local(value, position);
  if (isJsonObject(position.parent.nodeAffinity)) return;
  const at = childPath(position.path.replace(/\.?local$/, ''), 'nodeAffinity');
  yield required(at, 'Local volume requires node affinity');
};

/** The sources of persistent volumes, in the order in which Kubernetes checks them. */
const sources: readonly VolumeSource[] = [
  { member: 'hostPath', check: source.hostPath },
  { member: 'gcePersistentDisk', check: source.gceDisk, path: 'persistentDisk' },
  { member: 'awsElasticBlockStore', check: source.awsDisk },
  { member: 'glusterfs', check: source.persistentGlusterfs },
  { member: 'flocker', check: source.flocker },
  { member: 'nfs', check: source.nfs },
  { member: 'rbd', check: source.rbd },
  { member: 'quobyte', check: source.quobyte },
  { member: 'cephfs', check: source.cephfs, forbiddenPath: 'cephFS' },
  { member: 'iscsi', check: persistentIscsi },
  { member: 'cinder', check: source.persistentCinder },
  { member: 'fc', check: source.fibreChannel },
  { member: 'flexVolume', check: source.flexVolume, isAdditional: true },
  { member: 'azureFile', check: source.persistentAzureFile },
  { member: 'vsphereVolume', check: source.vsphere },
  { member: 'photonPersistentDisk', check: source.photon },
  { member: 'portworxVolume', check: source.portworx },
  { member: 'azureDisk', check: source.azureDisk },
  { member: 'scaleIO', check: source.scaleIo },
  { member: 'local', check: local },
  { member: 'storageos', check: source.persistentStorageOs },
  { member: 'csi', check: source.persistentCsi },
];

/** The names of the sources of persistent volumes. */
export const persistentSources: readonly string[] = sources.map(({ member }) => member);

/** The check that a persistent volume has exactly one valid source. */
export const persistentVolumeSource: Check = oneSource(sources);
