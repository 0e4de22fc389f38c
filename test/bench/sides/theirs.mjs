import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startKubeApiserver } from '../../harness/kube-apiserver.mjs';
import { customObjects } from './custom-objects.mjs';

/** Flotilla's default audit policy: writes, before and after. */
const auditRules = [
  { level: 'Metadata', verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] },
  { level: 'None' },
];

/** kube-apiserver with an etcd. The figures are those of both processes. */
export function theirs({ parts, programs, mostKeys, load, signal }) {
  const objects = customObjects({ parts, load, signal });
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
          ...objects.of(''),
        },
        startMilliseconds,
        stop,
      };
    },
    async prepare(target) {
      await objects.define(target);
      // The handler takes effect a moment after the condition.
      await sleep(3000, undefined, { signal });
    },
    makeNamespace: objects.makeNamespace,
    keys: async (_, count) => tokens.slice(0, count),
  };
}

/** A program built without a version reports the placeholder of its sources. */
function titleOf({ version }) {
  return `kube-apiserver ${/^v[1-9][0-9.]*/.test(version) ? `${version} ` : ''}+ etcd`;
}
