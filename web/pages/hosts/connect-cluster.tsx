import { SegmentedControl, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { apiVersionOf } from '../../../src/api/meta.ts';
import { Command } from '../../components/command.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { NameField } from '../../components/form/name-field.tsx';
import { notify } from '../../components/notifications.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { createObject } from '../../data/objects/objects.ts';
import { KubeconfigInput } from './kubeconfig-input.tsx';

type ConnectionMethod = 'kubeconfig' | 'agent';

/** A dialog that connects a cluster, so that it can host virtual clusters. */
export function ConnectCluster({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const [method, setMethod] = useState<ConnectionMethod>('kubeconfig');
  const [name, setName] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [kubeconfig, setKubeconfig] = useState('');
  const isComplete = name.trim() !== '' && (method === 'agent' || kubeconfig.trim() !== '');
  const shown = name.trim() || 'europe';

  async function send(): Promise<void> {
    const cluster = name.trim();
    await createObject(kinds.cluster, {
      apiVersion: apiVersionOf(kinds.cluster),
      kind: kinds.cluster.kind,
      metadata: { name: cluster },
      spec: {
        ...(displayName.trim() === '' ? {} : { displayName: displayName.trim() }),
        ...(method === 'agent' ? { networkPeer: true } : { kubeconfig }),
      },
    });
    notify.done(method === 'agent' ? `Created ${cluster}, waiting for its agent` : `Connected ${cluster}`);
    const search = method === 'agent' ? { tab: 'connection' } : {};
    await navigate({ to: '/hosts/$cluster', params: { cluster }, search });
  }

  return (
    <FormDialog
      title="Connect cluster"
      action={method === 'agent' ? 'Next: start agent' : 'Connect'}
      canSend={isComplete}
      size="lg"
      onSend={send}
      onClose={onClose}
    >
      {(error) => {
        const problem = fieldProblems(error);
        return (
          <>
            <SegmentedControl
              aria-label="Connection method"
              fullWidth
              value={method}
              onChange={(value) => setMethod(value as ConnectionMethod)}
              data={[
                { value: 'kubeconfig', label: 'Kubeconfig' },
                { value: 'agent', label: 'Agent' },
              ]}
            />
            <Text size="sm" c="dimmed">
              {method === 'kubeconfig'
                ? 'For a Kubernetes cluster whose API this server can reach.'
                : 'For a cluster behind a firewall, or for a machine without Kubernetes. You start an agent there, and the agent connects to this server.'}
            </Text>
            <NameField value={name} onChange={setName} error={problem('metadata.name')} />
            <TextInput
              label="Display name"
              value={displayName}
              onChange={(event) => setDisplayName(event.currentTarget.value)}
              error={problem('spec.displayName')}
              autoComplete="off"
            />
            {method === 'kubeconfig' ? (
              <KubeconfigInput value={kubeconfig} onChange={setKubeconfig} error={problem('spec.kubeconfig')} />
            ) : null}
            <div>
              <Text size="sm" c="dimmed">
                On the command line:
              </Text>
              <Command
                text={`flotilla cluster add ${shown} ${method === 'agent' ? '--agent' : '--kubeconfig kubeconfig.yaml'}`}
              />
            </div>
          </>
        );
      }}
    </FormDialog>
  );
}
