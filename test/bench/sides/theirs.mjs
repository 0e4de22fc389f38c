import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startKubeApiserver } from '../../harness/kube-apiserver.mjs';
import { customObjects } from './custom-objects.mjs';

/** Flotilla's default audit policy: write requests are logged before and after they run. */
const auditRules = [
  { level: 'Metadata', verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] },
  { level: 'None' },
];

/**
 * The side with kube-apiserver and its own etcd; the figures are the sum of both processes. With `etcd`, kube-apiserver
 * uses that running etcd instead, and the CPU time of etcd is a separate figure.
 */
export function theirs({ parts, programs, mostKeys, etcd, load, signal }) {
  const objects = customObjects({ parts, load, signal });
  const tokens = Array.from({ length: mostKeys }, () => randomUUID());
  return {
    name: 'theirs',
    title: `kube-apiserver${versionOf(programs)}${etcd === undefined ? ' + etcd' : ''}`,
    staysRunning: etcd !== undefined,
    async start(dataDir) {
      const shared = etcd === undefined ? {} : { etcd: { url: etcd.endpoints, prefix: '/kube-apiserver' } };
      const options = { programs, dataDir, authorization: 'RBAC', auditLog: auditRules, tokens, signal, ...shared };
      const { url, ca, token, pids, startMilliseconds, stop } = await startKubeApiserver(options);
      return {
        target: {
          url,
          ca,
          authorization: `Bearer ${token}`,
          ...(etcd === undefined
            ? { pids: Object.values(pids) }
            : { pids: [pids.kubeApiserver], etcdPids: etcd.pids, etcdUrl: etcd.url }),
          ...objects.of(''),
        },
        startMilliseconds,
        stop,
      };
    },
    async prepare(target) {
      await objects.define(target);
      // The definition is served a moment after its Established condition is true.
      await sleep(3000, undefined, { signal });
    },
    makeNamespace: objects.makeNamespace,
    keys: async (_, count) => tokens.slice(0, count),
  };
}

/** A program built without a version reports the placeholder of its sources. */
function versionOf({ version }) {
  return /^v[1-9][0-9.]*/.test(version) ? ` ${version}` : '';
}
