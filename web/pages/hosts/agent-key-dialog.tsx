import { Button, Code, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { ClusterAccessKey } from '../../../src/api/management/v1/cluster-access-key.ts';
import { Command } from '../../components/command.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog } from '../../components/form/dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { saveText } from '../../components/save-text.ts';
import { type AgentTarget, agentCommand, agentTargets } from './agent-command.ts';

export interface AgentKeyDialogProps {
  readonly cluster: string;
  readonly made: ClusterAccessKey;
  /** Called when the dialog closes. The parent component must then discard the key. */
  onClose(): void;
}

/** A dialog that shows the access key of an agent once, and the command that starts the agent. */
export function AgentKeyDialog({ cluster, made, onClose }: AgentKeyDialogProps) {
  const [place, setPlace] = useState<AgentTarget>('built-in');
  const { accessKey = '', managementHost = '', caCert = '' } = made;
  return (
    <Dialog onClose={onClose} title={`Agent for ${cluster}`} size="xl" keepOpenOnClickOutside>
      <Stack gap="md">
        <div>
          <Text size="sm" mb={4}>
            1. Copy this key to the machine on which the agent will run. The key is shown only once.
          </Text>
          <Group gap="xs" wrap="nowrap">
            <Code block flex={1} tabIndex={0} aria-label="Agent key" style={{ overflowX: 'auto' }}>
              {accessKey}
            </Code>
            <CopyButton text={accessKey} what="agent key" />
          </Group>
          <Group gap="sm" mt="xs">
            <Button
              variant="default"
              size="xs"
              leftSection={<Icon name="download" size={16} />}
              onClick={() => saveText(`${cluster}.key`, `${accessKey}\n`)}
            >
              Download {cluster}.key
            </Button>
            {caCert === '' ? null : (
              <Button
                variant="default"
                size="xs"
                leftSection={<Icon name="download" size={16} />}
                onClick={() => saveText('ca.crt', caCert)}
              >
                Download ca.crt
              </Button>
            )}
          </Group>
        </div>
        <div>
          <Text size="sm" mb={4}>
            2. Start the agent on that machine. Replace edge.example.com with the address of the machine.
          </Text>
          <NativeSelect
            label="Cluster to serve"
            value={place}
            onChange={(event) => setPlace(event.currentTarget.value as AgentTarget)}
            data={agentTargets.map(({ value, label }) => ({ value, label }))}
            mb="xs"
          />
          <Command text={agentCommand({ cluster, managementHost, hasOwnCa: caCert !== '', target: place })} />
        </div>
        <Text size="sm" c="dimmed">
          3. The agent registers with the server, and the cluster comes online within seconds.
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
