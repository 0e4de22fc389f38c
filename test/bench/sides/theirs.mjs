import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startKubeApiserver } from '../../harness/kube-apiserver.mjs';
import { instanceDefinition } from './instance-definition.mjs';

/** What Flotilla writes down unless it is told otherwise: writes, before and after. */
const auditRules = [
  { level: 'Metadata', verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] },
  { level: 'None' },
];

/** kube-apiserver with an etcd, and the same kind as a custom resource. Their figures are those of both processes. */
export function theirs({ parts, programs, mostKeys, load, signal }) {
  const { naming } = parts;
  const apiVersion = `${naming.managementGroup}/${naming.managementVersion}`;
  const tokens = Array.from({ length: mostKeys }, () => randomUUID());
  return {
    name: 'theirs',
    title: titleOf(programs),
    async start(dataDir) {
      const options = { programs, dataDir, authorization: 'RBAC', auditLog: auditRules, tokens, signal };
      const { url, ca, token, pids, startMilliseconds, stop } = await startKubeApiserver(options);
      return {
        target: {
          url,
          ca,
          authorization: `Bearer ${token}`,
          pids: Object.values(pids),
          api: `/apis/${apiVersion}`,
          apiVersion,
          namespacePrefix: naming.projectNamespacePrefix,
        },
        startMilliseconds,
        stop,
      };
    },
    async prepare(target) {
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      const object = instanceDefinition(parts);
      await load.run('send', target, { method: 'POST', path, object, expected: 201 });
      await untilEstablished(target, `${path}/${object.metadata.name}`);
    },
    async createProject(target, name) {
      const metadata = { name: `${target.namespacePrefix}${name}` };
      const object = { apiVersion: 'v1', kind: 'Namespace', metadata };
      await load.run('send', target, { method: 'POST', path: '/api/v1/namespaces', object, expected: 201 });
    },
    keys: async (_, count) => tokens.slice(0, count),
  };

  async function untilEstablished(target, path) {
    for (;;) {
      const { status } = await load.run('send', target, { method: 'GET', path, expected: 200 });
      const isEstablished = status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True');
      if (isEstablished) break;
      await sleep(100, undefined, { signal });
    }
    // Its handler takes a moment longer to notice than the condition says.
    await sleep(3000, undefined, { signal });
  }
}

/** A program built without being told its version says that of its sources' template. */
function titleOf({ version }) {
  return `kube-apiserver ${/^v[1-9][0-9.]*/.test(version) ? `${version} ` : ''}+ etcd`;
}
