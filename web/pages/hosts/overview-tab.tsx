import { Alert, Group, SimpleGrid, Switch, Text, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Condition } from '../../../src/api/conditions.ts';
import type { KubeObject } from '../../../src/api/meta.ts';
import { listAt, textAt } from '../../../src/lib/json-path.ts';
import { Age } from '../../components/age.tsx';
import { Conditions } from '../../components/conditions.tsx';
import { Facts } from '../../components/facts.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { notify } from '../../components/notices.tsx';
import { Panel } from '../../components/panel.tsx';
import { PrincipalLink } from '../../components/principal-link.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { knownCount } from '../../data/fleet-counts.ts';
import { kinds } from '../../data/kind-ref.ts';
import { patchObject } from '../../data/objects.ts';
import { ownerPrincipal } from '../../data/owner.ts';
import { useMay } from '../../data/permissions.ts';
import { useRows } from '../../data/use-rows.ts';
import { clusterSpec, lacksAgent, stateOf, wayTo, wayWords } from './cluster-facts.ts';
import { instancesOn } from './instances-tab.tsx';

const conditionWords: Readonly<Record<string, string>> = {
  Ready: 'Virtual clusters can be made on it',
  Reachable: 'It can be reached',
  CredentialsValid: 'Its credentials are good',
  Unique: 'It is connected once',
  RightsSufficient: 'The server may do there what it has to',
  ContentDeleted: 'Everything of it is gone',
};

const uncounted = (
  <>
    <span aria-hidden="true">…</span>
    <VisuallyHidden>not counted yet</VisuallyHidden>
  </>
);

/** How a cluster stands. */
export function OverviewTab({ cluster }: { readonly cluster: KubeObject }) {
  const { name = '', creationTimestamp } = cluster.metadata;
  const { description, directEndpoint } = clusterSpec(cluster);
  const instances = useRows(instancesOn(name));
  const owner = ownerPrincipal(cluster);
  const state = stateOf(cluster);
  const unknown = state === 'Pending' ? 'The server has not looked at it yet.' : 'It can be used.';
  const conditions = listAt(cluster, 'status', 'conditions') as unknown as readonly Condition[];
  return (
    <>
      {lacksAgent(cluster) ? (
        <Alert color="yellow" mb="md" title="Its agent has not come yet" role="status">
          <LinkButton
            to="/hosts/$cluster"
            params={{ cluster: name }}
            search={{ tab: 'connection' }}
            size="xs"
            variant="default"
          >
            How to start one beside the cluster
          </LinkButton>
        </Alert>
      ) : null}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" verticalSpacing={0}>
        <Panel title="State">
          <Group gap="sm" mb="md" wrap="nowrap" align="flex-start">
            <StatusBadge status={state} />
            <Text size="sm">{textAt(cluster, 'status', 'message') || unknown}</Text>
          </Group>
          <Facts
            facts={{
              Description: description,
              'Kubernetes version': textAt(cluster, 'status', 'kubernetesVersion'),
              'Reached by': wayWords[wayTo(cluster)],
              'Direct endpoint': directEndpoint?.host,
              'Virtual clusters':
                instances.state === 'refused' ? undefined : (
                  <Link to="/hosts/$cluster" params={{ cluster: name }} search={{ tab: 'instances' }}>
                    {knownCount(instances) ?? uncounted}
                  </Link>
                ),
              Owner: owner === undefined ? undefined : <PrincipalLink principal={owner} />,
              Identity: <span className="mono">{textAt(cluster, 'status', 'clusterUID') || 'not known yet'}</span>,
              Age: <Age since={creationTimestamp} />,
            }}
          />
          <UsableSwitch cluster={cluster} />
        </Panel>
        {conditions.length === 0 && wayTo(cluster) === 'built-in' ? null : (
          <Panel title="Conditions">
            <Conditions label={`Conditions of ${name}`} conditions={conditions} words={conditionWords} />
          </Panel>
        )}
      </SimpleGrid>
    </>
  );
}

/** Whether new virtual clusters come here. Those that are here stay. */
function UsableSwitch({ cluster }: { readonly cluster: KubeObject }) {
  const { name = '' } = cluster.metadata;
  const { unusable = false } = clusterSpec(cluster);
  const [isBusy, setBusy] = useState(false);
  const { allowed: maySet } = useMay({ verb: 'update', kind: kinds.cluster, name, subresource: 'spec.unusable' });

  async function set(next: boolean): Promise<void> {
    setBusy(true);
    try {
      await patchObject(kinds.cluster, { name }, { spec: { unusable: next } });
      notify.done(next ? `${name} takes no new virtual clusters` : `${name} takes new virtual clusters again`);
    } catch (error) {
      notify.failed(`${name} is as it was`, error);
    } finally {
      setBusy(false);
    }
  }

  if (!maySet) return unusable ? <Text mt="md">It takes no new virtual clusters.</Text> : null;
  return (
    <Switch
      mt="lg"
      label="It takes new virtual clusters"
      description="Those that run on it go on, whatever is set here."
      checked={!unusable}
      disabled={isBusy}
      onChange={(event) => void set(!event.currentTarget.checked)}
    />
  );
}
