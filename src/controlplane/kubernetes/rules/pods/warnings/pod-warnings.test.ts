import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { podTemplatePath } from './pod-template-path.ts';
import { podTemplateWarnings } from './pod-warnings.ts';

const warnings = (spec: JsonObject, metadata: JsonObject = {}) =>
  podTemplateWarnings({ metadata, spec: { containers: [{ name: 'web' }], ...spec } }, 't');
const file = (path: string) => ({ key: 'k', path });

describe('the warnings about pod templates', () => {
  it('cover deprecated node labels and invalid label values', () => {
    const matchExpressions = [{ key: 'beta.kubernetes.io/os', operator: 'In', values: ['-'] }];
    const preferredDuringSchedulingIgnoredDuringExecution = [{ preference: { matchExpressions } }];
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution } };
    const at = 't.spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference';
    expect(warnings({ nodeSelector: { 'app.kubernetes.io/created-by': '' }, affinity })).toEqual([
      't.spec.nodeSelector[app.kubernetes.io/created-by]: deprecated since v1.9',
      `${at}.matchExpressions[0].key: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead`,
      expect.stringMatching(
        /\.matchExpressions\[0\]\.values\[0\]: - is invalid, a valid label must be an empty string/,
      ),
    ]);
  });

  it('cover terms without a selector', () => {
    const terms = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'z' }] };
    const spread = [{ topologyKey: 'z', labelSelector: {} }, { topologyKey: 'z' }];
    expect(warnings({ affinity: { podAntiAffinity: terms }, topologySpreadConstraints: spread })).toEqual([
      't.spec.topologySpreadConstraints[1].labelSelector: a null labelSelector results in matching no pod',
      't.spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null labelSelector results in matching no pod',
    ]);
  });

  it('cover variables that hide others, and fractions of bytes', () => {
    const env = ['1', '$(a)2', '$(a)', '3'].map((value) => ({ name: 'a', value }));
    const resources = { limits: { memory: '1500m' } };
    expect(warnings({ containers: [{ name: 'web', env, resources }] })).toEqual([
      't.spec.containers[0].resources.limits[memory]: fractional byte value "1500m" is invalid, must be an integer',
      't.spec.containers[0].env[2]: hides previous definition of "a", which may be dropped when using apply',
      't.spec.containers[0].env[3]: hides previous definition of "a", which may be dropped when using apply',
    ]);
  });

  it('cover ports that conflict', () => {
    const ports = [
      { containerPort: 80 },
      { containerPort: 80, hostPort: 1, hostIP: '10.0.0.1' },
      { containerPort: 80, hostPort: 1, hostIP: '10.0.0.2' },
      { containerPort: 80, hostPort: 1 },
      { containerPort: 80, hostIP: '10.0.0.1' },
    ];
    const at = (index: number) => `t.spec.containers[0].ports[${index}]`;
    expect(warnings({ containers: [{ name: 'web', ports: ports.slice(0, 4) }] })).toEqual([
      `${at(1)}: overlapping port definition with ${at(0)}`,
      `${at(2)}: overlapping port definition with ${at(0)}`,
      `${at(3)}: overlapping port definition with ${at(0)}`,
      `${at(3)}: dangerously ambiguous port definition with ${at(1)}`,
      `${at(3)}: dangerously ambiguous port definition with ${at(2)}`,
    ]);
    expect(warnings({ containers: [{ name: 'web', ports: ports.slice(4) }] })).toEqual([
      `${at(0)}: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:80 Protocol: HostIP:10.0.0.1}`,
    ]);
  });

  it('cover files of a volume that overlap', () => {
    const items = ['a', 'b', 'a/b/', 'a', 'ab', ''].map(file);
    const sources = [{ secret: { name: 's', items: [file('x')] } }, { serviceAccountToken: { path: 'x/y' } }, {}];
    const volumes = [
      { name: 'c', configMap: { name: 'm', items } },
      { name: 'p', projected: { sources } },
      { name: 'r', rbd: {} },
    ];
    expect(warnings({ volumes })).toEqual([
      't.spec.volumes[2].rbd: deprecated in v1.28, non-functional in v1.31+',
      'volume "c" (ConfigMap "m"): overlapping paths: "a/b" with "a"',
      'volume "c" (ConfigMap "m"): overlapping paths: "a" with "a"',
      'volume "c" (ConfigMap "m"): overlapping paths: "a" with "a/b"',
      'volume "p" (Projected) has no sources provided',
      'volume "p" (Projected): overlapping paths: "x/y" (ServiceAccountToken) with "x" (Secret "s")',
    ]);
  });

  it('cover annotations that fields have replaced', () => {
    const key = 'container.apparmor.security.beta.kubernetes.io/web';
    const annotations = { [key]: 'unconfined', 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' };
    expect(warnings({}, { annotations })).toEqual([
      't.metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
      `t.metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`,
    ]);
    const securityContext = { appArmorProfile: { type: 'Unconfined' }, seccompProfile: { type: 'Unconfined' } };
    expect(warnings({ securityContext }, { annotations })).toEqual([]);
  });

  it('are found in linear time', () => {
    const count = 20_000;
    const ports = Array.from({ length: count }, (_, at) => ({ containerPort: 80, hostPort: 1, hostIP: `ip-${at}` }));
    const items = Array.from({ length: count }, (_, at) => file(`dir-${at}/file`));
    const volumes = [{ name: 'c', configMap: { items } }];
    expect(warnings({ containers: [{ name: 'web', ports }], volumes })).toEqual([]);
  });

  it('do not search for long names, compare long paths, or become long', () => {
    const name = ')'.repeat(200_000);
    const value = `${`$(${name}x`.repeat(5)}${')'.repeat(400_000)}`;
    const env = [
      { name, value: '1' },
      { name, value },
    ];
    expect(warnings({ containers: [{ name: 'web', env }] })).toHaveLength(1);
    const volume = (...items: JsonObject[]) => ({ volumes: [{ name: 'c', configMap: { items } }] });
    expect(warnings(volume(file('d/'.repeat(200_000)), file('b'), file('b')))).toEqual([]);
    const repeated = Array.from({ length: 1_000 }, () => file('a'));
    const found = warnings(volume(file(`a/${'x'.repeat(20_000)}`), ...repeated));
    expect(found.join('').length).toBeLessThan(200_000);
  });
});

it('the pod template of a kind is found', () => {
  expect(podTemplatePath('batch.CronJob')).toEqual(['spec', 'jobTemplate', 'spec', 'template']);
  expect(podTemplatePath('core.PodTemplate')).toEqual(['template']);
  expect(podTemplatePath('storage.StorageClass')).toBeUndefined();
});
