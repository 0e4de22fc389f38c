import { join } from 'node:path';
import { startEtcdMembers } from './etcd-members.mjs';
import { ours } from './ours.mjs';
import { replicated } from './replicated.mjs';
import { theirs } from './theirs.mjs';

/** The names of the sides of the scenario `replicas`. */
export const replicatedSideNames = ['embedded', 'replicas-1', 'replicas-2', 'replicas-3', 'theirs'];

/**
 * The sides of the scenario `replicas`: Flotilla with the embedded store, one to three replicas over etcd, and
 * kube-apiserver over the same etcd. `only` is the name of one of them, or `ours`. The caller stops the etcd after the
 * sides.
 */
export async function startReplicatedSides({ programs, directory, only, ...options }) {
  const etcd = await startEtcdMembers({ programs, dataDir: join(directory, 'etcd'), signal: options.signal });
  const embedded = { ...ours(options), name: 'embedded', title: 'Flotilla, embedded store', staysRunning: true };
  const replicas = [1, 2, 3].map((count) => replicated({ ...options, replicas: count, etcd }));
  const isChosen = ({ name }) => [undefined, name, name === 'theirs' ? '' : 'ours'].includes(only);
  return { sides: [embedded, ...replicas, theirs({ ...options, programs, etcd })].filter(isChosen), etcd };
}
