import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Condition } from '../../../src/api/conditions.ts';
import type { KubeObject } from '../../../src/api/meta.ts';
import { listAt } from '../../../src/lib/json-path.ts';
import { Command } from '../../components/command.tsx';
import { Facts } from '../../components/facts.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notify } from '../../components/notices.tsx';
import { Panel } from '../../components/panel.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { patchObject } from '../../data/objects.ts';
import { useMayEach } from '../../data/permissions.ts';
import { AgentPanel } from './agent-panel.tsx';
import { clusterSpec, wayTo } from './cluster-facts.ts';
import { EditEndpoint } from './edit-endpoint.tsx';
import { KubeconfigInput } from './kubeconfig-input.tsx';

/** How the server gets to the cluster, and how others get there without the server. */
export function ConnectionTab({ cluster }: { readonly cluster: KubeObject }) {
  const { name = '' } = cluster.metadata;
  const [open, setOpen] = useState<'kubeconfig' | 'endpoint'>();
  const close = () => setOpen(undefined);
  const [mayReplace, maySetEndpoint, mayMakeKey] = useMayEach([
    { verb: 'update', kind: kinds.cluster, name, subresource: 'spec.kubeconfig' },
    { verb: 'update', kind: kinds.cluster, name, subresource: 'spec.directEndpoint' },
    { verb: 'create', kind: kinds.cluster, name, subresource: 'accesskey' },
  ]);
  const way = wayTo(cluster);
  const { directEndpoint } = clusterSpec(cluster);
  if (way === 'built-in') {
    return (
      <Panel title="Built in">
        <Text size="sm">
          This cluster is part of the server. There is nothing to connect, and no agent that it needs: its virtual
          clusters are reached as the server itself is.
        </Text>
      </Panel>
    );
  }
  return (
    <>
      {way === 'kubeconfig' ? (
        <Panel
          title="Kubeconfig"
          actions={
            mayReplace?.allowed === true ? (
              <Button variant="default" size="xs" onClick={() => setOpen('kubeconfig')}>
                Replace
              </Button>
            ) : undefined
          }
        >
          <Stack gap="xs">
            <Text size="sm">The server has it sealed, and shows it to nobody.</Text>
            <Text size="sm" c="dimmed">
              {credentialWords(cluster)}
            </Text>
          </Stack>
        </Panel>
      ) : null}
      <AgentPanel cluster={name} isNeeded={way === 'agent'} mayMakeKey={mayMakeKey?.allowed === true} />
      <Panel
        title="Direct endpoint"
        actions={
          maySetEndpoint?.allowed === true ? (
            <Button variant="default" size="xs" onClick={() => setOpen('endpoint')}>
              Change
            </Button>
          ) : undefined
        }
      >
        <Text size="sm" c="dimmed" mb="md">
          Where kubeconfigs lead to without the detour over this server. An agent announces its own.
        </Text>
        {directEndpoint?.host === undefined || directEndpoint.host === '' ? (
          <Text size="sm">There is none: all ways lead over this server.</Text>
        ) : (
          <>
            <Facts
              facts={{
                Address: <span className="mono">{directEndpoint.host}</span>,
                Certificates: directEndpoint.caData ? 'its own' : 'those that everybody trusts',
              }}
            />
            <Text size="sm" c="dimmed" mt="md">
              A token for it, on the command line:
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

function credentialWords(cluster: KubeObject): string {
  const conditions = listAt(cluster, 'status', 'conditions') as unknown as readonly Condition[];
  return conditions.find(({ type }) => type === 'CredentialsValid')?.message ?? 'Nobody has tried it yet.';
}

/** What is typed is in this dialog alone, and gone with it. */
function ReplaceKubeconfig({ cluster, onClose }: { readonly cluster: string; readonly onClose: () => void }) {
  const [kubeconfig, setKubeconfig] = useState('');
  return (
    <FormDialog
      title={`Another kubeconfig for ${cluster}`}
      action="Replace"
      size="lg"
      canSend={kubeconfig.trim() !== ''}
      onClose={onClose}
      onSend={async () => {
        await patchObject(kinds.cluster, { name: cluster }, { spec: { kubeconfig } });
        notify.done(`${cluster} has another kubeconfig`);
      }}
    >
      {(error) => (
        <>
          <Text size="sm">
            What is open with the old one ends. While virtual clusters run there, the new one has to lead to the same
            cluster.
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
