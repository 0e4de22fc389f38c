import { deepFreeze, equalJson, type JsonObject, type JsonValue, objectAt } from '@flotilla/json';
import { configMapKind } from '../../../api/core/config-map.ts';
import { apiVersionOf, type KubeObject } from '../../../api/meta.ts';
import { builtinNamespaceNames } from '../namespaces/plane-namespaces.ts';

/** The name of the ConfigMap in each namespace with the CA certificates that clients use to verify the API server. */
export const rootCertificateName = 'kube-root-ca.crt';

const descriptionAnnotation = 'kubernetes.io/description';
const description =
  'The CA certificates with which clients verify the address of this virtual cluster. ' +
  'They are empty if public CAs verify it.';

function dataOf(authority: string): JsonObject {
  return { 'ca.crt': authority };
}

/** Returns the ConfigMap of a namespace. `authority` is a CA bundle in PEM format, or empty. */
export function rootCertificate(namespace: string, authority: string): KubeObject {
  return {
    kind: configMapKind.kind,
    apiVersion: apiVersionOf(configMapKind),
    metadata: { name: rootCertificateName, namespace, annotations: { [descriptionAnnotation]: description } },
    data: dataOf(authority),
  } as KubeObject;
}

/** True if the ConfigMap has these certificates and a description. */
export function isRootCertificate(object: KubeObject, authority: string): boolean {
  const data = objectAt(object as JsonValue, 'data') ?? {};
  return equalJson(data, dataOf(authority)) && (object.metadata.annotations?.[descriptionAnnotation] ?? '') !== '';
}

/** Returns a copy of the ConfigMap in which the certificates and the description are restored. */
export function restoredRootCertificate(object: KubeObject, authority: string): KubeObject {
  const annotations = { ...object.metadata.annotations, [descriptionAnnotation]: description };
  return { ...object, metadata: { ...object.metadata, annotations }, data: dataOf(authority) } as KubeObject;
}

/**
 * The built-in ConfigMaps. They are cached, because all planes of a process have the same certificates and must share
 * one list of objects.
 */
let builtin: { readonly authority: string; readonly objects: readonly KubeObject[] } | undefined;

/** Returns the ConfigMaps of the built-in namespaces. */
export function builtinRootCertificates(authority: string): readonly KubeObject[] {
  if (builtin?.authority !== authority) {
    const objects = builtinNamespaceNames.map((namespace) => rootCertificate(namespace, authority));
    builtin = { authority, objects: deepFreeze(objects as unknown as JsonValue) as unknown as readonly KubeObject[] };
  }
  return builtin.objects;
}
