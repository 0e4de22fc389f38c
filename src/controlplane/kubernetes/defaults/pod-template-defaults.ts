import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import type { StructDefault } from '../../../api/structs/struct-defaults.ts';
import { removeDisabledFields } from './disabled-pod-fields.ts';
import { imageTag } from './image-tag.ts';
import { roundResourceLists } from './resource-lists.ts';
import { objectOf, setIfAbsent, setIfZero } from './set-defaults.ts';

/** The default mode of files in volumes. */
const fileMode = 0o644;

function pullPolicy(image: JsonValue | undefined): string {
  return imageTag(typeof image === 'string' ? image : '') === 'latest' ? 'Always' : 'IfNotPresent';
}

const container: StructDefault = (object) => {
  setIfZero(object, {
    imagePullPolicy: pullPolicy(object.image),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });
};

/** A volume without a source is an empty directory. */
const volume: StructDefault = (object) => {
  const isSource = ([name, value]: [string, JsonValue]) => name !== 'name' && isJsonObject(value);
  if (!Object.entries(object).some(isSource)) object.emptyDir = {};
  const image = objectOf(object, 'image');
  if (image !== undefined) setIfZero(image, { pullPolicy: pullPolicy(image.reference) });
};

const podSpec: StructDefault = (object) => {
  setIfZero(object, { dnsPolicy: 'ClusterFirst', restartPolicy: 'Always', schedulerName: 'default-scheduler' });
  setIfAbsent(object, { securityContext: {}, terminationGracePeriodSeconds: 30 });
  roundResourceLists(object, 'overhead');
  copyServiceAccount(object);
  removeDisabledFields(object);
};

/** Makes `serviceAccount` and `serviceAccountName` equal. `serviceAccount` is the older name of the field. */
function copyServiceAccount(spec: JsonObject): void {
  setIfZero(spec, { serviceAccountName: spec.serviceAccount ?? '' });
  if (spec.serviceAccountName === '') delete spec.serviceAccountName;
  if (spec.serviceAccountName === undefined) delete spec.serviceAccount;
  else spec.serviceAccount = spec.serviceAccountName;
}

/** Removes the annotations in which older versions of Kubernetes stored init containers. */
const podTemplate: StructDefault = (object) => {
  const annotations = objectOf(objectOf(object, 'metadata'), 'annotations') ?? {};
  for (const version of ['alpha', 'beta']) {
    delete annotations[`pod.${version}.kubernetes.io/init-containers`];
    delete annotations[`pod.${version}.kubernetes.io/init-container-statuses`];
  }
};

const files: StructDefault = (object) => setIfAbsent(object, { defaultMode: fileMode });
const resources: StructDefault = (object) => roundResourceLists(object, 'limits', 'requests');

/** The defaults of the structs in a pod template, in addition to the defaults in the struct tables. */
export const podTemplateDefaults: Readonly<Record<string, StructDefault>> = {
  'core.PodTemplateSpec': podTemplate,
  'core.PodSpec': podSpec,
  'core.Container': container,
  'core.EphemeralContainerCommon': container,
  'core.ResourceRequirements': resources,
  'core.VolumeResourceRequirements': resources,
  'core.Volume': volume,
  'core.Probe': (object: JsonObject) =>
    setIfZero(object, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
  'core.HTTPGetAction': (object) => setIfZero(object, { path: '/', scheme: 'HTTP' }),
  'core.ObjectFieldSelector': (object) => setIfZero(object, { apiVersion: 'v1' }),
  'core.SecretVolumeSource': files,
  'core.ConfigMapVolumeSource': files,
  'core.DownwardAPIVolumeSource': files,
  'core.ProjectedVolumeSource': files,
  'core.HostPathVolumeSource': (object) => setIfAbsent(object, { type: '' }),
  'core.ServiceAccountTokenProjection': (object) => setIfAbsent(object, { expirationSeconds: 3600 }),
};
