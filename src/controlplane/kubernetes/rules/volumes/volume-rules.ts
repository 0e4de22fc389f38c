import { isJsonObject } from '@flotilla/json';
import type { Check, StructRules } from '../object-rules.ts';
import { iscsi, podInitiatorErrors } from './iscsi-rules.ts';
import { oneSource, type VolumeSource } from './one-source.ts';
import * as pod from './pod-source-checks.ts';
import { projected } from './projected-checks.ts';
import * as source from './source-checks.ts';

/** The sources of volumes in pods, in the order in which Kubernetes checks them. */
const sources: readonly VolumeSource[] = [
  { member: 'emptyDir', check: pod.emptyDir },
  { member: 'hostPath', check: source.hostPath },
  { member: 'gitRepo', check: pod.gitRepo },
  { member: 'gcePersistentDisk', check: source.gceDisk, path: 'persistentDisk' },
  { member: 'awsElasticBlockStore', check: source.awsDisk },
  { member: 'secret', check: pod.secret },
  { member: 'nfs', check: source.nfs },
  { member: 'iscsi', check: iscsi, always: podInitiatorErrors },
  { member: 'glusterfs', check: source.glusterfs },
  { member: 'flocker', check: source.flocker },
  { member: 'persistentVolumeClaim', check: pod.persistentVolumeClaim },
  { member: 'rbd', check: source.rbd },
  { member: 'cinder', check: source.cinder },
  { member: 'cephfs', check: source.cephfs, forbiddenPath: 'cephFS' },
  { member: 'quobyte', check: source.quobyte },
  { member: 'downwardAPI', check: pod.downwardApi, forbiddenPath: 'downwarAPI' },
  { member: 'fc', check: source.fibreChannel },
  { member: 'flexVolume', check: source.flexVolume },
  { member: 'configMap', check: pod.configMap },
  { member: 'azureFile', check: source.azureFile },
  { member: 'vsphereVolume', check: source.vsphere },
  { member: 'photonPersistentDisk', check: source.photon },
  { member: 'portworxVolume', check: source.portworx },
  { member: 'azureDisk', check: source.azureDisk },
  { member: 'storageos', check: source.storageOs },
  { member: 'projected', check: projected },
  { member: 'scaleIO', check: source.scaleIo },
  { member: 'csi', check: source.csi },
  { member: 'ephemeral', check: pod.ephemeral },
  { member: 'image', check: pod.image },
];

const volumeSource = oneSource(sources);

const volume: Check = function* (value, position) {
  if (!isJsonObject(value)) return;
  yield* volumeSource(value, position);
};

/** The rules of volumes in pods and pod templates. They include the rules of the sources of a volume. */
export const volumeRules: Readonly<Record<string, StructRules>> = { 'core.Volume': { whole: [volume] } };
