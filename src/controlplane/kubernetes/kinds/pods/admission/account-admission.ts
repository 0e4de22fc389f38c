import { type JsonObject, type JsonValue, listAt, objectAt, textAt, valueAt } from '@flotilla/json';
import type { KubeObject } from '../../../../../api/meta.ts';
import { generateName, randomSuffix } from '../../../../../registry/write/generate-name.ts';
import { itemsOf } from '../../../defaults/set-defaults.ts';
import { mirrorPod } from '../../../rules/pods/template-rules.ts';
import { refusedPod, type StoreOf } from './refuse-pod.ts';
import { mirrorPodFault, secretReferenceFault } from './secret-references.ts';

const defaultAccount = 'default';
const volumePrefix = 'kube-api-access-';
const tokenPath = '/var/run/secrets/kubernetes.io/serviceaccount';
/**
 * The lifetime of the token in seconds, slightly more than an hour. Kubernetes recognizes the tokens of old clients by
 * this lifetime.
 */
const tokenSeconds = 3607;

/**
 * Sets the service account of a new pod, and mounts the token of the account. Throws 403 if the account does not exist.
 */
export function admitAccount(object: KubeObject, spec: JsonObject, storeOf: StoreOf): void {
  if (object.metadata.annotations?.[mirrorPod] !== undefined) {
    const reason = mirrorPodFault(spec);
    if (reason !== undefined) throw refusedPod(object, reason);
    return;
  }
  const namespace = object.metadata.namespace ?? '';
  const name = textAt(spec, 'serviceAccountName') || defaultAccount;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
  const account = storeOf('serviceaccounts')?.peek(namespace, name)?.object as JsonValue | undefined;
  // A missing default account is not an error: each namespace has one, but it may not be created yet.
  if (account === undefined && name !== defaultAccount) {
    const missing = `serviceaccount ${JSON.stringify(name)} not found`;
    throw refusedPod(object, `error looking up service account ${namespace}/${name}: ${missing}`);
  }
  const member = 'automountServiceAccountToken';
  if ((valueAt(spec, member) ?? valueAt(account, member) ?? true) === true) mountToken(spec);
  if (listAt(spec, 'imagePullSecrets').length === 0) {
    const secrets = listAt(account, 'imagePullSecrets').map((secret) => ({ name: textAt(secret, 'name') }));
    if (secrets.length > 0) spec.imagePullSecrets = secrets;
  }
  const fault = account === undefined ? undefined : secretReferenceFault(spec, account, name);
  if (fault !== undefined) throw refusedPod(object, fault);
}

function mountToken(spec: JsonObject): void {
  const containers = [...itemsOf(spec, 'initContainers'), ...itemsOf(spec, 'containers')];
  const needing = containers.filter(
    (container) => !listAt(container, 'volumeMounts').some((mount) => textAt(mount, 'mountPath') === tokenPath),
  );
  const volumes = itemsOf(spec, 'volumes');
  const existing = volumes.map((volume) => textAt(volume, 'name')).find((name) => name.startsWith(volumePrefix));
  const name = existing ?? generateName(volumePrefix, randomSuffix());
  for (const container of needing) {
    const mount = { name, readOnly: true, mountPath: tokenPath };
    container.volumeMounts = [...listAt(container, 'volumeMounts'), mount];
  }
  if (existing === undefined && needing.length > 0) spec.volumes = [...volumes, tokenVolume(name)];
}

function tokenVolume(name: string): JsonObject {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
      defaultMode: 0o644,
    },
  };
}

/** Throws 403 if ephemeral containers use secrets that the pod's service account does not allow. */
export function admitEphemeralContainers(object: KubeObject, storeOf: StoreOf): void {
  const spec = objectAt(object as JsonValue, 'spec') ?? {};
  const namespace = object.metadata.namespace ?? '';
  const name = textAt(spec, 'serviceAccountName');
  if (name === '')
    throw refusedPod(object, `no service account specified for pod ${namespace}/${object.metadata.name}`);
  const account = storeOf('serviceaccounts')?.peek(namespace, name)?.object as JsonValue | undefined;
  if (account === undefined) {
    const missing = `serviceaccount ${JSON.stringify(name)} not found`;
    throw refusedPod(object, `error looking up service account ${namespace}/${name}: ${missing}`);
  }
  const containers = itemsOf(spec, 'ephemeralContainers');
  const fault = secretReferenceFault({ ephemeralContainers: containers }, account, name);
  if (fault !== undefined) throw refusedPod(object, fault);
}
