import type { MarkingServer } from '../builtin/work-marks.ts';
import type { ServerContext } from './server-context.ts';

/** Returns this server, as the marks of work in progress name it. */
export function markingServer({ replicaId, replicas }: Pick<ServerContext, 'replicaId' | 'replicas'>): MarkingServer {
  return {
    id: replicaId,
    async others() {
      const { members } = await replicas.peers();
      return members.map(({ id }) => id).filter((id) => id !== replicaId);
    },
  };
}
