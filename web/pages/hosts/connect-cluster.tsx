import { SegmentedControl, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { apiVersionOf } from '../../../src/api/meta.ts';
import { Command } from '../../components/command.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { NameField } from '../../components/name-field.tsx';
import { notify } from '../../components/notices.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { createObject } from '../../data/objects.ts';
import { KubeconfigInput } from './kubeconfig-input.tsx';

type Way = 'kubeconfig' | 'agent';

/** A cluster becomes one that virtual clusters run on. */
export function ConnectCluster({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const [way, setWay] = useState<Way>('kubeconfig');
  const [name, setName] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [kubeconfig, setKubeconfig] = useState('');
  const isComplete = name.trim() !== '' && (way === 'agent' || kubeconfig.trim() !== '');
  const shown = name.trim() || 'europe';

  async function send(): Promise<void> {
    const cluster = name.trim();
    await createObject(kinds.cluster, {
      apiVersion: apiVersionOf(kinds.cluster),
      kind: kinds.cluster.kind,
      metadata: { name: cluster },
      spec: {
        ...(displayName.trim() === '' ? {} : { displayName: displayName.trim() }),
        ...(way === 'agent' ? { networkPeer: true } : { kubeconfig }),
      },
    });
    notify.done(way === 'agent' ? `${cluster} waits for its agent` : `${cluster} is connected`);
    const search = way === 'agent' ? { tab: 'connection' } : {};
    await navigate({ to: '/hosts/$cluster', params: { cluster }, search });
  }

  return (
    <FormDialog
      title="Connect a cluster"
      action={way === 'agent' ? 'Next: its agent' : 'Connect'}
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
              aria-label="How the server reaches it"
              fullWidth
              value={way}
              onChange={(value) => setWay(value as Way)}
              data={[
                { value: 'kubeconfig', label: 'By a kubeconfig' },
                { value: 'agent', label: 'Through an agent' },
              ]}
            />
            <Text size="sm" c="dimmed">
              {way === 'kubeconfig'
                ? 'For a Kubernetes cluster whose API the server can reach.'
                : 'For a cluster behind a firewall, or a machine without Kubernetes: a process beside it connects to this server.'}
            </Text>
            <NameField value={name} onChange={setName} error={problem('metadata.name')} />
            <TextInput
              label="Display name"
              value={displayName}
              onChange={(event) => setDisplayName(event.currentTarget.value)}
              error={problem('spec.displayName')}
              autoComplete="off"
            />
            {way === 'kubeconfig' ? (
              <KubeconfigInput value={kubeconfig} onChange={setKubeconfig} error={problem('spec.kubeconfig')} />
            ) : null}
            <div>
              <Text size="sm" c="dimmed">
                The same on the command line:
              </Text>
              <Command
                text={`flotilla cluster add ${shown} ${way === 'agent' ? '--agent' : '--kubeconfig kubeconfig.yaml'}`}
              />
            </div>
          </>
        );
      }}
    </FormDialog>
  );
}
