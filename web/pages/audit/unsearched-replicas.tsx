import { Alert, List } from '@mantine/core';
import type { UnsearchedReplica } from '../../../src/api/audit/audit-event.ts';

export interface UnsearchedReplicasProps {
  readonly replicas: readonly UnsearchedReplica[];
}

/** A warning that names the replicas whose audit logs were not searched. Renders nothing if there are none. */
export function UnsearchedReplicas({ replicas }: UnsearchedReplicasProps) {
  if (replicas.length === 0) return null;
  return (
    <Alert color="yellow" mx="md" mb="sm" role="status" title="Events may be missing">
      The audit log of these replicas could not be searched:
      <List size="sm">
        {replicas.map(({ replica, reason }) => (
          <List.Item key={replica}>
            <span className="mono">{replica}</span>: {reason}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
