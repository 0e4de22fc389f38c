import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Cluster } from '../../../src/api/management/v1/cluster.ts';
import { Command } from '../../components/command.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { notify } from '../../components/notifications.tsx';
import { DetailList } from '../../components/object/detail-list.tsx';
import { Panel } from '../../components/panel.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { patchObject } from '../../data/objects/objects.ts';
import { usePermissions } from '../../data/permissions.ts';
import { AgentPanel } from './agent-panel.tsx';
import { clusterSpec, connectionOf } from './cluster-info.ts';
import { EditEndpoint } from './edit-endpoint.tsx';
import { KubeconfigInput } from './kubeconfig-input.tsx';

/** A tab with the kubeconfig, the agent and the direct endpoint of a cluster. */
export function ConnectionTab({ cluster }: { readonly cluster: Cluster }) {
  const { name = '' } = cluster.metadata;
  const [open, setOpen] = useState<'kubeconfig' | 'endpoint'>();
  const close = () => setOpen(undefined);
  const [mayReplace, maySetEndpoint, mayMakeKey] = usePermissions([
    { verb: 'update', kind: kinds.cluster, name, subresource: 'spec.kubeconfig' },
    { verb: 'update', kind: kinds.cluster, name, subresource: 'spec.directEndpoint' },
    { verb: 'create', kind: kinds.cluster, name, subresource: 'accesskey' },
  ]);
  const connection = connectionOf(cluster);
  const { directEndpoint } = clusterSpec(cluster);
  if (connection === 'built-in') {
    return (
      <Panel title="Built-in cluster">
        <Text size="sm">
          This cluster is part of the server and needs no connection or agent. Clients reach its virtual clusters at the
          address of the server.
        </Text>
      </Panel>
    );
  }
  return (
    <>
      {connection === 'kubeconfig' ? (
        <Panel
          title="Kubeconfig"
          actions={
            mayReplace?.allowed === true ? (
              <Button variant="default" size="xs" onClick={() => setOpen('kubeconfig')}>
                Replace kubeconfig
              </Button>
            ) : undefined
          }
        >
          <Stack gap="xs">
            <Text size="sm">The server stores the kubeconfig encrypted and never shows it.</Text>
            <Text size="sm" c="dimmed">
              {credentialText(cluster)}
            </Text>
          </Stack>
        </Panel>
      ) : null}
      <AgentPanel cluster={name} isNeeded={connection === 'agent'} mayMakeKey={mayMakeKey?.allowed === true} />
      <Panel
        title="Direct endpoint"
        actions={
          maySetEndpoint?.allowed === true ? (
            <Button variant="default" size="xs" onClick={() => setOpen('endpoint')}>
              Edit endpoint
            </Button>
          ) : undefined
        }
      >
        <Text size="sm" c="dimmed" mb="md">
          The address at which clients reach the cluster without this server. An agent reports its address itself.
        </Text>
        {directEndpoint?.host === undefined || directEndpoint.host === '' ? (
          <Text size="sm">None. All connections go through this server.</Text>
        ) : (
          <>
            <DetailList
              items={{
                Address: <span className="mono">{directEndpoint.host}</span>,
                Certificates: directEndpoint.caData ? 'Custom CA' : 'Publicly trusted',
              }}
            />
            <Text size="sm" c="dimmed" mt="md">
              To get a token for the direct endpoint on the command line:
            </Text>
            <Command text="flotilla token --direct" />
          </>
        )}
      </Panel>
      {open === 'kubeconfig' ? <ReplaceKubeconfig cluster={name} onClose={close} /> : null}
      {open === 'endpoint' ? <EditEndpoint cluster={cluster} onClose={close} /> : null}
    </>
  );
}

function credentialText(cluster: Cluster): string {
  const { conditions = [] } = cluster.status ?? {};
  return (
    conditions.find(({ type }) => type === 'CredentialsValid')?.message ??
    'The server has not checked the kubeconfig yet.'
  );
}

/** A dialog that replaces the kubeconfig. The page keeps the new kubeconfig only as long as the dialog is open. */
function ReplaceKubeconfig({ cluster, onClose }: { readonly cluster: string; readonly onClose: () => void }) {
  const [kubeconfig, setKubeconfig] = useState('');
  return (
    <FormDialog
      title={`Replace kubeconfig of ${cluster}`}
      action="Replace"
      size="lg"
      canSend={kubeconfig.trim() !== ''}
      onClose={onClose}
      onSend={async () => {
        await patchObject(kinds.cluster, { name: cluster }, { spec: { kubeconfig } });
        notify.done(`Replaced kubeconfig of ${cluster}`);
      }}
    >
      {(error) => (
        <>
          <Text size="sm">
            Connections with the old kubeconfig are closed. While virtual clusters run on the cluster, the new
            kubeconfig must point to the same cluster.
          </Text>
          <KubeconfigInput
            value={kubeconfig}
            onChange={setKubeconfig}
            error={fieldProblems(error)('spec.kubeconfig')}
          />
        </>
      )}
    </FormDialog>
  );
}
