import type { MarkingServer } from '../builtin/work-marks.ts';
import type { ServerContext } from './server-context.ts';

/** Returns the description of this server for marks of work in progress. */
export function markingServer({ replicaId, replicas }: Pick<ServerContext, 'replicaId' | 'replicas'>): MarkingServer {
  return {
    id: replicaId,
    async others() {
      const { members } = await replicas.peers();
      return members.map(({ id }) => id).filter((id) => id !== replicaId);
    },
  };
}
