import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { applyPatch, asTable, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';
import { invalidContainers, invalidPods, invalidTemplates } from './invalid-pods.ts';
import { templatesWithWarnings } from './templates-with-warnings.ts';

const namespace = 'pod-templates';
const templates = `/api/v1/namespaces/${namespace}/podtemplates`;
const web = { name: 'web', image: 'nginx' };

/** Compares pod templates. Their validation covers the rules of pods. */
export function podTemplateKinds(pair: Pair): void {
  describe('Pod templates', () => {
    const compared = comparedTests(pair);
    const post = (name: string, template: unknown) =>
      pair.send({ method: 'POST', path: templates, json: { metadata: { name }, template } });
    const merge = (name: string, change: unknown) =>
      pair.send({
        method: 'PATCH',
        path: `${templates}/${name}`,
        body: JSON.stringify(change),
        headers: { 'content-type': mergePatch },
      });

    compared('have defaults and columns', async () => {
      await pair.send({ method: 'POST', path: '/api/v1/namespaces', json: { metadata: { name: namespace } } });
      const rows = pair.sides.map(async (side) => {
        const { resources } = JSON.parse((await side.send({ path: '/api/v1' })).text);
        return resources.filter(({ name }: { name: string }) => name.startsWith('podtemplates'));
      });
      const [theirs, ours] = await Promise.all(rows);
      pair.compareValues('podtemplates in discovery', theirs, ours);
      await post('plain', { spec: { containers: [web] } });
      await post('labelled', {
        metadata: { labels: { b: '2', a: '1' }, name: 'ignored', annotations: { x: 'y' } },
        spec: {
          serviceAccount: 'robot',
          hostNetwork: true,
          containers: [
            {
              ...web,
              ports: [{ containerPort: 80 }],
              livenessProbe: { httpGet: { port: 80 } },
              env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
              lifecycle: { stopSignal: 'SIGTERM' },
              resources: { limits: { cpu: '1', memory: '1024Mi' } },
            },
            { name: 'second', image: 'busybox:1', command: ['sh'], volumeMounts: [{ name: 'v', mountPath: '/v' }] },
          ],
          initContainers: [{ name: 'side', image: 'x:1', restartPolicy: 'Always' }],
          volumes: [{ name: 'v' }],
          schedulingGroup: { podGroupName: 'g' },
          dnsConfig: { nameservers: ['10.0.0.1'], searches: ['_a.b.', '.'] },
          tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 3 }],
        },
      });
      for (const path of ['/plain', '/labelled', '']) {
        await pair.send({ path: `${templates}${path}`, headers: { accept: asTable } });
      }
    });

    compared('can be changed', async () => {
      await merge('plain', { metadata: { labels: { a: 'b' } } });
      await merge('plain', { template: { spec: { serviceAccountName: 'robot' } } });
      await merge('plain', { template: { spec: { serviceAccount: 'other' } } });
      await merge('plain', { template: { spec: { containers: [] } } });
      await merge('plain', { template: { spec: { securityContext: { seLinuxChangePolicy: 'MountOption' } } } });
      await merge('plain', { template: { spec: { securityContext: { seLinuxChangePolicy: 'Recursive' } } } });
      await merge('plain', { template: { spec: { securityContext: { seLinuxChangePolicy: 'MountOption' } } } });
      await pair.send({ method: 'PUT', path: `${templates}/new`, json: { metadata: { name: 'new' } } });
      const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [web] } };
      const plain = { metadata: { name: 'plain' }, template };
      await pair.send({ method: 'PUT', path: `${templates}/plain`, json: plain });
      await pair.send({
        method: 'PATCH',
        path: `${templates}/applied?fieldManager=m`,
        body: JSON.stringify({
          apiVersion: 'v1',
          kind: 'PodTemplate',
          metadata: { name: 'applied' },
          template: { spec: { containers: [{ ...web, ports: [{ containerPort: 80 }] }] } },
        }),
        headers: { 'content-type': applyPatch },
      });
      // Compares only the template, because the metadata before it contains versions and times.
      const encoded = pair.sides.map(async (side) => {
        const accept = 'application/vnd.kubernetes.protobuf';
        const { text } = await side.send({ path: `${templates}/labelled`, headers: { accept } });
        return text.slice(text.lastIndexOf('}}}'));
      });
      const [theirs, ours] = await Promise.all(encoded);
      pair.compareValues('a pod template in protobuf', theirs, ours);
      await pair.send({ method: 'DELETE', path: `${templates}/labelled` });
    });

    compared('cause warnings', async () => {
      for (const [index, template] of templatesWithWarnings.entries()) await post(`warned-${index}`, template);
      await merge('warned-0', { metadata: { labels: { a: 'b' } } });
      await merge('warned-0', { template: { spec: { terminationGracePeriodSeconds: -2 } } });
    });

    compared('are refused if their metadata is invalid', async () => {
      for (const template of invalidTemplates) await post('bad', template);
    });

    compared('are refused if a container is invalid', async () => {
      for (const { container, pod } of invalidContainers) {
        await post('bad', { spec: { containers: [{ ...web, ...container }], ...pod } });
      }
    });

    compared('are refused if the pod spec is invalid', async () => {
      for (const pod of invalidPods) await post('bad', { spec: { containers: [web], ...pod } });
    });
  });
}
