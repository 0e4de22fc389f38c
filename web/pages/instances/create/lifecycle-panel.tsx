import { NativeSelect, SimpleGrid } from '@mantine/core';
import type { Cluster } from '../../../../src/api/management/v1/cluster.ts';
import { PrincipalPicker } from '../../../components/form/principal-picker.tsx';
import { Panel } from '../../../components/panel.tsx';
import { clusterStatus } from '../../hosts/cluster-info.ts';
import { IdleTimeoutSelect, idleAnnotations } from '../idle-timeout-select.tsx';
import type { FormSectionProps } from './form-section.ts';

interface LifecyclePanelProps extends FormSectionProps {
  /** True if the caller may set an owner other than the caller. */
  readonly maySetOwner: boolean;
}

/** A section of the creation form: cluster, owner, auto-sleep and auto-delete. All settings are optional. */
export function LifecyclePanel({ form, problem, maySetOwner }: LifecyclePanelProps) {
  const { type, offer, fields } = form;
  const { user, team } = fields.owner;
  return (
    <Panel title="Placement and lifecycle">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <NativeSelect
          label="Cluster"
          description={
            type.hasExplorer
              ? 'The cluster that the virtual cluster runs on. Cannot be changed later.'
              : 'The cluster that has the namespace. Cannot be changed later.'
          }
          value={fields.cluster}
          onChange={(event) => form.set(['spec', 'clusterRef', 'cluster'], event.currentTarget.value)}
          error={problem('spec.clusterRef')}
          data={[
            { value: '', label: 'Automatic' },
            ...offer.clusters.map((cluster) => ({
              value: cluster.metadata.name ?? '',
              label: clusterLabel(cluster),
            })),
          ]}
        />
        {maySetOwner ? (
          <PrincipalPicker
            label="Owner"
            description="Optional. You are the owner by default."
            value={user !== '' ? { kind: 'User', name: user } : team !== '' ? { kind: 'Team', name: team } : undefined}
            onChange={(next) =>
              form.set(
                ['spec', 'owner'],
                next === undefined ? undefined : next.kind === 'User' ? { user: next.name } : { team: next.name },
              )
            }
            error={problem('spec.owner')}
          />
        ) : null}
        {idleAnnotations.map((annotation) => (
          <IdleTimeoutSelect
            key={annotation}
            annotation={annotation}
            noun={type.noun}
            value={fields.annotation(annotation)}
            templateValue={form.templateAnnotations[annotation]}
            onChange={(value) => form.set(['metadata', 'annotations', annotation], value)}
          />
        ))}
      </SimpleGrid>
    </Panel>
  );
}

/**
 * Returns the display name and name of a cluster. Adds the cluster's status if no instance can currently run on the
 * cluster: "Far (far) – offline".
 */
function clusterLabel(cluster: Cluster): string {
  const {
    metadata: { name = '' },
    spec: { displayName = '' } = {},
  } = cluster;
  const names = displayName === '' || displayName === name ? name : `${displayName} (${name})`;
  const status = clusterStatus(cluster);
  return status === 'Online' ? names : `${names} – ${unusableText[status]}`;
}

const unusableText = { Offline: 'offline', Pending: 'not connected yet', Terminating: 'being disconnected' } as const;
