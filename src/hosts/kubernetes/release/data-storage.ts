import { flagAt, type JsonValue, listAt, objectAt, textAt } from '@flotilla/json';
import { secretKind } from '../../../api/core/secret.ts';
import { DocumentError } from '../../../api/decode/document-error.ts';
import { readYaml } from '../../../api/decode/yaml-document.ts';
import type { KubeObject } from '../../../api/meta.ts';
import type { ApiClient } from '../../../client/resource-client.ts';
import type { HostLocation } from '../../host.ts';
import { findObject } from '../../owned-object.ts';
import { configSecret, controlPlaneApp, etcdApp } from './chart-labels.ts';

/**
 * Returns the reason why scaling the workloads of a virtual cluster to zero deletes its data; `undefined` if the data is
 * kept. The data is in the etcd that the chart deploys, or else in the control plane, unless the virtual cluster uses a
 * database elsewhere.
 */
export async function dataLossCause(
  hostClient: ApiClient,
  location: HostLocation,
  workloads: readonly KubeObject[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const withApp = (app: string) => workloads.filter(({ metadata }) => metadata.labels?.app === app);
  const etcd = withApp(etcdApp);
  const stores = etcd.length > 0 ? etcd : withApp(controlPlaneApp);
  const cause = stores.map(volatileStorage).find((each) => each !== undefined);
  if (cause === undefined || etcd.length > 0) return cause;
  return (await usesExternalStore(hostClient, location, signal)) ? undefined : cause;
}

/** The volume in which the charts of vCluster and of its etcd keep data. */
const dataVolume = 'data';

/** Returns the reason why a workload loses its data when it is scaled to zero; `undefined` if its data is kept. */
function volatileStorage(workload: KubeObject): string | undefined {
  const value = workload as JsonValue;
  const subject = `the ${workload.kind} ${workload.metadata.name}`;
  const claims = listAt(value, 'spec', 'volumeClaimTemplates');
  const isDeletedOnScale =
    textAt(value, 'spec', 'persistentVolumeClaimRetentionPolicy', 'whenScaled') === 'Delete' && claims.length > 0;
  if (isDeletedOnScale) return `${subject} deletes its persistent volume claims when it is scaled to zero`;
  const volumes = listAt(value, 'spec', 'template', 'spec', 'volumes');
  const hasDataClaim = claims.some((claim) => textAt(claim, 'metadata', 'name') === dataVolume);
  const data = volumes.find((volume) => textAt(volume, 'name') === dataVolume);
  if (!hasDataClaim && data !== undefined) {
    return isEphemeral(data) ? `${subject} keeps the data in a volume that is deleted with its pod` : undefined;
  }
  const isKept = claims.length > 0 || volumes.some((volume) => objectAt(volume, 'persistentVolumeClaim') !== undefined);
  return isKept ? undefined : `${subject} has no persistent volume claim`;
}

function isEphemeral(volume: JsonValue): boolean {
  return objectAt(volume, 'emptyDir') !== undefined || objectAt(volume, 'ephemeral') !== undefined;
}

/**
 * True if the data of a virtual cluster is in a database or etcd outside of its release, according to its
 * configuration.
 */
async function usesExternalStore(hostClient: ApiClient, location: HostLocation, signal: AbortSignal): Promise<boolean> {
  const { namespace, name } = location;
  const secret = await findObject(hostClient.resource(secretKind), { namespace, name: configSecret(name) }, { signal });
  const text = Buffer.from(textAt(secret as JsonValue, 'data', 'config.yaml'), 'base64').toString('utf8');
  const config = parseConfig(text);
  return ['database', 'etcd'].some((store) =>
    flagAt(config, 'controlPlane', 'backingStore', store, 'external', 'enabled'),
  );
}

/** Returns the configuration; null if it cannot be read. Sleep is then refused, because the data may be lost. */
function parseConfig(text: string): JsonValue {
  try {
    return readYaml(text).value;
  } catch (error) {
    if (error instanceof DocumentError) return null;
    throw error;
  }
}
