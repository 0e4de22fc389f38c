import { setTimeout as sleep } from 'node:timers/promises';
import { instanceDefinition } from './instance-definition.mjs';

/**
 * The objects with which both sides are measured: custom objects of the same definition, which only the load writes to.
 * `target.cluster` is the API root of the cluster that contains these objects.
 */
export function customObjects({ parts, load, signal }) {
  const { naming } = parts;
  const apiVersion = `${naming.managementGroup}/${naming.managementVersion}`;
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  return {
    /** The part of a target that describes the custom objects. */
    of: (cluster) => ({ cluster, apiVersion, api: `${cluster}/apis/${apiVersion}` }),
    async define(target) {
      const path = `${target.cluster}${definitions}`;
      const object = instanceDefinition(parts);
      await load.run('send', target, { method: 'POST', path, object, expected: 201 });
      await untilEstablished(target, `${path}/${object.metadata.name}`);
    },
    async makeNamespace(target, name) {
      const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      const path = `${target.cluster}/api/v1/namespaces`;
      await load.run('send', target, { method: 'POST', path, object, expected: 201 });
    },
  };

  async function untilEstablished(target, path) {
    for (;;) {
      const { status } = await load.run('send', target, { method: 'GET', path, expected: 200 });
      if (status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True')) return;
      await sleep(100, undefined, { signal });
    }
  }
}
