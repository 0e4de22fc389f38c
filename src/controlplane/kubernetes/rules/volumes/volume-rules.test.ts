import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { describeFieldError } from '../../../../api/field-error.ts';
import { kubernetesStructs } from '../../../../api/structs/kubernetes-structs.ts';
import { ObjectRules } from '../object-rules.ts';
import { volumeRules } from './volume-rules.ts';

const rules = new ObjectRules(kubernetesStructs, volumeRules, {});

function errorsOf(...volumes: JsonObject[]): string[] {
  return rules.errorsOf('core.PodSpec', { volumes }).map(describeFieldError);
}

/** Returns the errors of a volume with the given source, without the path of the volume. */
function sourceErrors(source: JsonObject): string[] {
  return errorsOf({ name: 'v', ...source }).map((text) => text.replaceAll('volumes[0].', ''));
}

const fileRule = 'must be a number between 0 and 0777 (octal), both inclusive';
const registryRule = 'must be a host:port pair or multiple pairs separated by commas';

const invalidSources: readonly (readonly [JsonObject, readonly string[]])[] = [
  [
    { emptyDir: { sizeLimit: '-1' } },
    ['emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity'],
  ],
  [{ hostPath: {} }, ['hostPath.path: Required value']],
  [{ hostPath: { path: '/a/..' } }, [`hostPath.path: Invalid value: "/a/..": must not contain '..'`]],
  [
    { gitRepo: { directory: '/x' } },
    ['gitRepo.repository: Required value', 'gitRepo.directory: Invalid value: "/x": must be a relative path'],
  ],
  [
    { secret: { defaultMode: 512, items: [{ path: '..x', mode: -1 }] } },
    [
      'secret.secretName: Required value',
      `secret.defaultMode: Invalid value: 512: ${fileRule}`,
      'secret.items[0].key: Required value',
      `secret.items[0].path: Invalid value: "..x": must not start with '..'`,
      `secret.items[0].mode: Invalid value: -1: ${fileRule}`,
    ],
  ],
  [{ configMap: {} }, ['configMap.name: Required value']],
  [{ persistentVolumeClaim: {} }, ['persistentVolumeClaim.claimName: Required value']],
  [{ ephemeral: {} }, ['ephemeral.volumeClaimTemplate: Required value']],
  [
    { ephemeral: { volumeClaimTemplate: { metadata: { name: 'x', labels: { a: 'b' } }, spec: {} } } },
    [
      'ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set',
      'ephemeral.volumeClaimTemplate.spec.accessModes: Required value: at least 1 access mode is required',
      'ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value',
    ],
  ],
  [{ image: { reference: 'i' } }, ['image.pullPolicy: Required value']],
  [
    { image: { pullPolicy: 'x' } },
    ['image.pullPolicy: Unsupported value: "x": supported values: "Always", "IfNotPresent", "Never"'],
  ],
  [{ csi: { driver: 'd', nodePublishSecretRef: {} } }, ['csi.nodePublishSecretRef.name: Required value']],
  [{ quobyte: { registry: 'a:1:2', volume: 'v' } }, [`quobyte.registry: Invalid value: "a:1:2": ${registryRule}`]],
  [{ iscsi: { targetPortal: 'p', iqn: 'iqn.2001-04.com.example:disk', lun: 1 } }, []],
  [{ iscsi: { targetPortal: 'p', iqn: 'iqn', lun: 1 } }, ['iscsi.iqn: Invalid value: "iqn": must be valid format']],
  [
    { iscsi: { targetPortal: 'p', iqn: 'x', lun: 1 } },
    ['iscsi.iqn: Invalid value: "x": must be valid format starting with iqn, eui, or naa'],
  ],
];

describe('the rules of volumes in pods', () => {
  it.each(invalidSources)('report the errors of %j', (source, errors) => {
    expect(sourceErrors(source)).toEqual(errors);
  });

  it('require exactly one source', () => {
    expect(errorsOf({ name: 'none' }, { name: 'two', emptyDir: {}, downwardAPI: {} })).toEqual([
      'volumes[0]: Required value: must specify a volume type',
      'volumes[1].downwarAPI: Forbidden: may not specify more than 1 volume type',
    ]);
    expect(errorsOf({ name: 'a', emptyDir: {} })).toEqual([]);
  });

  it('check downward API files', () => {
    const items = [
      { path: 'a', fieldRef: { apiVersion: 'v1', fieldPath: "metadata.labels['app']" } },
      { path: 'b', fieldRef: { apiVersion: 'v1', fieldPath: 'spec.nodeName' } },
      { path: 'c', fieldRef: { apiVersion: 'v1', fieldPath: "spec['x']" } },
      { path: 'd', resourceFieldRef: { containerName: 'c', resource: 'limits.cpu', divisor: '1k' } },
      { path: 'e', resourceFieldRef: { containerName: 'c', resource: 'limits.hugepages-2Mi', divisor: '1Mi' } },
      { path: '' },
    ];
    expect(sourceErrors({ downwardAPI: { items } })).toEqual([
      'downwardAPI.fieldRef.fieldPath: Unsupported value: "spec.nodeName": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
      `downwardAPI.fieldRef.fieldPath: Invalid value: "spec['x']": error converting fieldPath: field label does not support subscript: spec['x']`,
      `downwardAPI.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor's values 1m and 1 are supported with the cpu resource`,
      'downwardAPI.path: Required value',
      'downwardAPI: Required value: one of fieldRef and resourceFieldRef is required',
    ]);
  });

  it('check only the divisors of resources that a file can contain', () => {
    const supported =
      '"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"';
    for (const resource of ['cpu', 'constructor', '__proto__']) {
      const items = [{ path: 'a', resourceFieldRef: { containerName: 'c', resource, divisor: '5' } }];
      expect(sourceErrors({ downwardAPI: { items } })).toEqual([
        `downwardAPI.resourceFieldRef.resource: Unsupported value: "${resource}": supported values: ${supported}`,
      ]);
    }
  });

  it('check the sources of projected volumes, whose paths may not conflict', () => {
    const key = { key: 'k', path: 'same' };
    const certificate = { signerName: 'kubernetes.io/x', keyType: 'x', maxExpirationSeconds: 90_000 };
    const sources = [
      { secret: { name: 's', items: [key] }, configMap: { name: 'c', items: [key] } },
      { serviceAccountToken: { expirationSeconds: 1, path: '..' } },
      { clusterTrustBundle: { path: 'b' } },
      { clusterTrustBundle: { name: ':x', path: 'c' } },
      { clusterTrustBundle: { signerName: 'x', path: 'd' } },
      { podCertificate: { ...certificate, userAnnotations: { a: 'b' } } },
    ];
    expect(sourceErrors({ projected: { defaultMode: 1, sources } })).toEqual([
      'projected: Invalid value: "c": conflicting duplicate paths',
      'projected.sources[0]: Forbidden: may not specify more than 1 volume type per source',
      'projected.sources[1].serviceAccountToken.expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes',
      `projected.path: Invalid value: "..": must not contain '..'`,
      `projected.path: Invalid value: "..": must not start with '..'`,
      'projected.sources[2].clusterTrustBundle: Required value: either name or signerName must be specified',
      'projected.sources[3].clusterTrustBundle.name: Invalid value: ":x": not a valid clustertrustbundlename: ClusterTrustBundle without signer name must not have ":" in its name',
      `projected.sources[4].clusterTrustBundle.signerName: Invalid value: "x": must be a fully qualified domain and path of the form 'example.com/signer-name'`,
      'projected.sources[5].podCertificate.userAnnotations: Invalid value: "a": must be a domain-prefixed key (such as "acme.io/foo")',
      'projected.sources[5].podCertificate.keyType: Unsupported value: "x": supported values: "RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"',
      'projected.sources[5].podCertificate.maxExpirationSeconds: Invalid value: 90000: if provided, maxExpirationSeconds must be <= 86400',
      'projected.sources[5].podCertificate: Required value: specify at least one of credentialBundlePath, keyPath, and certificateChainPath',
    ]);
  });

  it('read long names of targets in linear time', () => {
    const iqn = 'iqn.2001-04.'.repeat(100_000);
    const started = performance.now();
    expect(sourceErrors({ iscsi: { targetPortal: 'p', iqn, lun: 1 } })).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
