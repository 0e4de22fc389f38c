import { Alert, Group, SimpleGrid, Switch, Text, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Cluster } from '../../../src/api/management/v1/cluster.ts';
import { LinkButton } from '../../components/link-button.tsx';
import { notify } from '../../components/notifications.tsx';
import { Age } from '../../components/object/age.tsx';
import { Conditions } from '../../components/object/conditions.tsx';
import { DetailList } from '../../components/object/detail-list.tsx';
import { PrincipalLink } from '../../components/object/principal-link.tsx';
import { StatusBadge } from '../../components/object/status-badge.tsx';
import { Panel } from '../../components/panel.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { patchObject } from '../../data/objects/objects.ts';
import { ownerOf } from '../../data/owner.ts';
import { usePermission } from '../../data/permissions.ts';
import { loadedCount } from '../../data/rows/fleet-counts.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { useSeesAll } from '../../data/rows/use-sees-all.ts';
import { AgentList } from './agent-list.tsx';
import { clusterSpec, clusterStatus, connectionLabels, connectionOf, isWaitingForAgent } from './cluster-info.ts';
import { clusterInstancesQuery } from './instances-tab.tsx';

const conditionLabels: Readonly<Record<string, string>> = {
  Ready: 'Ready for virtual clusters',
  Reachable: 'Reachable',
  CredentialsValid: 'Credentials are valid',
  Unique: 'Connected only once',
  RightsSufficient: 'Permissions are sufficient',
  ContentDeleted: 'Contents are deleted',
};

const uncounted = (
  <>
    <span aria-hidden="true">…</span>
    <VisuallyHidden>not counted yet</VisuallyHidden>
  </>
);

/** A tab with the status, details and conditions of a cluster. */
export function OverviewTab({ cluster }: { readonly cluster: Cluster }) {
  const { name = '', creationTimestamp } = cluster.metadata;
  const { description, directEndpoint } = clusterSpec(cluster);
  const instances = useRows(clusterInstancesQuery(name));
  const seesAll = useSeesAll(kinds.instance);
  const owner = ownerOf(cluster);
  const status = clusterStatus(cluster);
  const fallback = status === 'Pending' ? 'The server has not checked the cluster yet.' : 'Ready to use.';
  const isWaiting = isWaitingForAgent(cluster);
  const { message = '', kubernetesVersion, clusterUID, agents = [], conditions = [] } = cluster.status ?? {};
  return (
    <>
      {isWaiting ? (
        <Alert color="yellow" mb="md" title="The agent has not connected yet" role="status">
          <Text size="sm" mb="sm">
            The server reaches this cluster through an agent. Create a key for the agent, then start the agent beside
            the cluster.
          </Text>
          <LinkButton
            to="/hosts/$cluster"
            params={{ cluster: name }}
            search={{ tab: 'connection' }}
            size="xs"
            variant="default"
          >
            Show setup instructions
          </LinkButton>
        </Alert>
      ) : null}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" verticalSpacing={0}>
        <Panel title="Status">
          <Group gap="sm" mb="md" wrap="nowrap" align="flex-start">
            <StatusBadge status={status} />
            {isWaiting ? null : <Text size="sm">{message || fallback}</Text>}
          </Group>
          <DetailList
            items={{
              Description: description,
              'Kubernetes version': kubernetesVersion,
              'Reached by': connectionLabels[connectionOf(cluster)],
              'Direct endpoint': directEndpoint?.host,
              'Virtual clusters':
                instances.state === 'refused' || (!seesAll && instances.rows.length === 0) ? undefined : (
                  <Link to="/hosts/$cluster" params={{ cluster: name }} search={{ tab: 'instances' }}>
                    {loadedCount(instances) ?? uncounted}
                  </Link>
                ),
              Owner: owner === undefined ? undefined : <PrincipalLink principal={owner} />,
              UID: clusterUID ? <span className="mono">{clusterUID}</span> : undefined,
              Age: <Age since={creationTimestamp} />,
            }}
          />
          <UsableSwitch cluster={cluster} />
        </Panel>
        {conditions.length === 0 && connectionOf(cluster) === 'built-in' ? null : (
          <Panel title="Conditions">
            <Conditions
              label={`Conditions of ${name}`}
              conditions={conditions}
              labels={conditionLabels}
              shownMessage={message}
            />
          </Panel>
        )}
      </SimpleGrid>
      {agents.length === 0 ? null : <AgentList agents={agents} />}
    </>
  );
}

/**
 * A switch that controls whether the cluster accepts new virtual clusters. Existing virtual clusters are not affected.
 */
function UsableSwitch({ cluster }: { readonly cluster: Cluster }) {
  const { name = '' } = cluster.metadata;
  const { unusable = false } = clusterSpec(cluster);
  const [isBusy, setBusy] = useState(false);
  const { allowed: maySet } = usePermission({
    verb: 'update',
    kind: kinds.cluster,
    name,
    subresource: 'spec.unusable',
  });

  async function set(next: boolean): Promise<void> {
    setBusy(true);
    try {
      await patchObject(kinds.cluster, { name }, { spec: { unusable: next } });
      notify.done(next ? `${name} accepts no new virtual clusters` : `${name} accepts new virtual clusters`);
    } catch (error) {
      notify.failed(`Failed to update ${name}`, error);
    } finally {
      setBusy(false);
    }
  }

  if (!maySet) return unusable ? <Text mt="md">This cluster accepts no new virtual clusters.</Text> : null;
  return (
    <Switch
      mt="lg"
      label="Accept new virtual clusters"
      description="Existing virtual clusters are not affected."
      checked={!unusable}
      disabled={isBusy}
      onChange={(event) => void set(!event.currentTarget.checked)}
    />
  );
}
