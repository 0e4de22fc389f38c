import { isJsonObject } from '@flotilla/json';
import { labelFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { invalid, notSupported, required } from '../../../../api/field-error.ts';
import { childPath, keyPath } from '../../../../api/schema/field-path.ts';
import { isRequired, isUnset, listOf, numberOf, oneOf, requiredTextWithout, textOf, textWithout } from '../checks.ts';
import { driverNameErrors } from '../csi-rules.ts';
import { structChecks } from '../member-checks.ts';
import type { Check } from '../object-rules.ts';
import { pathWithoutParentSteps } from './path-checks.ts';

/** Accepts a partition from 0 to 255. As in Kubernetes, the error message names 1 as the lowest value. */
const partition: Check = function* (value, { path }) {
  if (numberOf(value) < 0 || numberOf(value) > 255) yield invalid(path, value, 'must be between 1 and 255, inclusive');
};

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

const requiredPath: Check = (value, position) =>
  textOf(value) === '' ? [required(position.path)] : pathWithoutParentSteps(value, position);

export const hostPath: Check = (value, position) => {
  const hasPath = isJsonObject(value) && textOf(value.path) !== '';
  return structChecks({ path: [requiredPath], ...(hasPath ? { type: [oneOf(...hostPathTypes)] } : {}) })(
    value,
    position,
  );
};

export const local = structChecks({ path: [requiredPath] });
export const gceDisk = structChecks({ pdName: [isRequired()], partition: [partition] });
export const awsDisk = structChecks({ volumeID: [isRequired()], partition: [partition] });
export const glusterfs = structChecks({ endpoints: [isRequired()], path: [isRequired()] });

const endpointsNamespace: Check = (value, position) =>
  value === ''
    ? [invalid(position.path, value, 'if the endpointnamespace is set, it must be a valid namespace name')]
    : textWithout(labelFaults)(value, position);

export const persistentGlusterfs = structChecks({
  endpoints: [isRequired()],
  path: [isRequired()],
  endpointsNamespace: [endpointsNamespace],
});

export const flocker: Check = function* (value, { path }) {
  if (!isJsonObject(value)) return;
  const [name, id] = [textOf(value.datasetName), textOf(value.datasetUUID)];
  if (name === '' && id === '') yield required(path, 'one of datasetName and datasetUUID is required');
  if (name !== '' && id !== '') {
    yield invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously');
  }
  if (name.includes('/')) yield invalid(childPath(path, 'datasetName'), name, "must not contain '/'");
};

const absolutePath: Check = function* (value, { path }) {
  if (!textOf(value).startsWith('/')) yield invalid(path, textOf(value), 'must be an absolute path');
};

export const nfs = structChecks({ server: [isRequired()], path: [isRequired(), absolutePath] });
export const rbd = structChecks({ monitors: [isRequired()], image: [isRequired()] });
export const cephfs = structChecks({ monitors: [isRequired()] });

/** True for a text that Go splits into a host and a port, such as `[::1]:80` or `host:80`. */
function isHostAndPort(text: string): boolean {
  const colon = text.lastIndexOf(':');
  if (colon === -1) return false;
  const host = text.startsWith('[') ? text.slice(1, colon - 1) : text.slice(0, colon);
  if (text.startsWith('[') ? text.indexOf(']') !== colon - 1 : host.includes(':')) return false;
  return !/[[\]]/.test(host + text.slice(colon));
}

const registryRule = 'must be a host:port pair or multiple pairs separated by commas';

export const quobyte: Check = function* (value, position) {
  if (!isJsonObject(value)) return;
  const registry = textOf(value.registry);
  const at = childPath(position.path, 'registry');
  if (registry === '') yield required(at, registryRule);
  else if (textOf(value.tenant).length > 64) {
    yield required(childPath(position.path, 'tenant'), 'must be a UUID and may not exceed a length of 64 characters');
  } else {
    for (const pair of registry.split(',')) if (!isHostAndPort(pair)) yield invalid(at, registry, registryRule);
  }
  yield* structChecks({ volume: [isRequired()] })(value, position);
};

const secretName = structChecks({ name: [isRequired()] });
const secretReference = structChecks({ name: [isRequired()], namespace: [isRequired()] });

export const cinder = structChecks({ volumeID: [isRequired()], secretRef: [secretName] });
export const persistentCinder = structChecks({ volumeID: [isRequired()], secretRef: [secretReference] });

export const fibreChannel: Check = function* (value, { path }) {
  if (!isJsonObject(value)) return;
  const at = childPath(path, 'targetWWNs');
  const targets = listOf(value.targetWWNs);
  const hasIds = listOf(value.wwids).length > 0;
  if (targets.length === 0 && !hasIds) yield required(at, 'must specify either targetWWNs or wwids, but not both');
  if (targets.length === 0) return;
  if (hasIds) yield invalid(at, [...targets], 'targetWWNs and wwids can not be specified simultaneously');
  const lun = value.lun ?? undefined;
  if (lun === undefined) yield required(childPath(path, 'lun'), 'lun is required if targetWWNs is specified');
  else if (numberOf(lun) < 0 || numberOf(lun) > 255) {
    yield invalid(childPath(path, 'lun'), lun, 'must be between 0 and 255, inclusive');
  }
};

const flexOptions: Check = function* (value, { path }) {
  for (const key of Object.keys(isJsonObject(value) ? value : {})) {
    const domain = `.${(key.split('/', 1)[0] ?? '').toLowerCase()}`;
    if (domain.endsWith('.kubernetes.io') || domain.endsWith('.k8s.io')) {
      yield invalid(keyPath(path, key), key, 'kubernetes.io and k8s.io namespaces are reserved');
    }
  }
};

export const flexVolume = structChecks({ driver: [isRequired()], options: [flexOptions] });

const notEmpty: Check = (value, { path }) => (value === '' ? [required(path)] : []);
const azureShare = { secretName: [isRequired()], shareName: [isRequired()] };

export const azureFile = structChecks(azureShare);
export const persistentAzureFile = structChecks({ ...azureShare, secretNamespace: [notEmpty] });

const azureDiskAddress: Check = function* (value, { path, parent: { kind = null } }) {
  if (kind === null) return;
  const uri = textOf(value);
  const isManaged = kind === 'Managed';
  if (uri.startsWith(isManaged ? '/subscriptions/' : 'https://')) return;
  const form = isManaged
    ? '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'
    : 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';
  yield notSupported(path, uri, [form]);
};

const azureDiskMembers = structChecks({
  diskName: [isRequired()],
  diskURI: [isRequired()],
  cachingMode: [oneOf('None', 'ReadOnly', 'ReadWrite')],
  kind: [oneOf('Dedicated', 'Managed', 'Shared')],
});

export const azureDisk: Check = function* (value, position) {
  yield* azureDiskMembers(value, position);
  yield* structChecks({ diskURI: [azureDiskAddress] })(value, position);
};

export const vsphere = structChecks({ volumePath: [isRequired()] });
export const photon = structChecks({ pdID: [isRequired()] });
export const portworx = structChecks({ volumeID: [isRequired()] });
export const scaleIo = structChecks({ gateway: [isRequired()], system: [isRequired()], volumeName: [isRequired()] });

const storageOsName = { volumeName: [requiredTextWithout(labelFaults)], volumeNamespace: [textWithout(labelFaults)] };

export const storageOs = structChecks({ ...storageOsName, secretRef: [secretName] });
export const persistentStorageOs = structChecks({ ...storageOsName, secretRef: [secretReference] });

const driver: Check = (value, { path }) => driverNameErrors(textOf(value), path);

const secret = structChecks({
  name: [requiredTextWithout(subdomainFaults)],
  namespace: [requiredTextWithout(labelFaults)],
});

export const persistentCsi = structChecks({
  driver: [driver],
  volumeHandle: [isRequired()],
  controllerPublishSecretRef: [secret],
  controllerExpandSecretRef: [secret],
  nodePublishSecretRef: [secret],
  nodeExpandSecretRef: [secret],
});

/**
 * A volume of a CSI driver in a pod. As in Kubernetes, an invalid secret name is reported at the path of the source's
 * `name`.
 */
export const csi: Check = function* (value, position) {
  yield* structChecks({ driver: [driver] })(value, position);
  const reference = isJsonObject(value) ? value.nodePublishSecretRef : undefined;
  if (!isJsonObject(reference)) return;
  if (isUnset(reference.name ?? undefined)) yield required(childPath(position.path, 'nodePublishSecretRef.name'));
  else yield* textWithout(subdomainFaults)(reference.name, { ...position, path: childPath(position.path, 'name') });
};
