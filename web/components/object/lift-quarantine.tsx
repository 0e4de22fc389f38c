import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { quarantineAnnotation } from '../../../src/api/naming.ts';
import { clusterRoot } from '../../data/api-root.ts';
import type { Instance } from '../../data/instance-types.ts';
import { kinds } from '../../data/kind-ref.ts';
import { patchObject } from '../../data/objects/objects.ts';
import { usePermission } from '../../data/permissions.ts';
import { Confirm } from '../form/confirm.tsx';
import { notify } from '../notifications.tsx';

/** The key of the VirtualCluster object of an instance. */
interface HostedClusterKey {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

export interface LiftQuarantineProps {
  readonly instance: Instance;
}

/** The button that lifts the quarantine of an instance. It is shown only to users who may change the hosting cluster. */
export function LiftQuarantine({ instance }: LiftQuarantineProps) {
  // Spaces have no VirtualCluster object, so the `clusterRef` of a space contains no `virtualCluster`.
  const ref: Partial<Record<'cluster' | 'namespace' | 'virtualCluster', string | undefined>> =
    instance.spec?.clusterRef ?? {};
  const { cluster = '', namespace = '', virtualCluster: name = '' } = ref;
  // Checks the permission in the cluster only if the caller may use the cluster at all.
  const { allowed } = usePermission({ verb: 'use', kind: kinds.cluster, name: cluster });
  if (!allowed || name === '') return null;
  return <LiftButton title={instance.metadata.name ?? ''} target={{ cluster, namespace, name }} />;
}

function LiftButton({ title, target }: { readonly title: string; readonly target: HostedClusterKey }) {
  const { cluster, namespace, name } = target;
  const root = clusterRoot(cluster);
  const { allowed } = usePermission({ verb: 'patch', kind: kinds.hosted, namespace, name, root });
  const [isOpen, setOpen] = useState(false);
  if (!allowed) return null;
  return (
    <>
      <Button size="xs" variant="default" aria-label={`Lift quarantine of ${title}`} onClick={() => setOpen(true)}>
        Lift quarantine
      </Button>
      {isOpen ? (
        <Confirm
          title={`Lift the quarantine of ${title}?`}
          action="Lift quarantine"
          onClose={() => setOpen(false)}
          onConfirm={async () => {
            const patch = { metadata: { annotations: { [quarantineAnnotation]: null } } };
            await patchObject(kinds.hosted, { namespace, name }, patch, { root });
            notify.done(`Lifted the quarantine of ${title}`);
          }}
        >
          <Text size="sm">
            The virtual cluster serves requests again. If it stalls its worker thread again, the server quarantines it
            again, and other virtual clusters on the same thread are interrupted. Remove the cause first.
          </Text>
        </Confirm>
      ) : null}
    </>
  );
}
