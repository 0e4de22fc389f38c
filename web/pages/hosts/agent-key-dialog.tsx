import { Button, Code, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { ClusterAccessKey } from '../../../src/api/management/v1/cluster-access-key.ts';
import { Command } from '../../components/command.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { saveText } from '../../components/save-text.ts';
import { type AgentPlace, agentCommand, agentPlaces } from './agent-command.ts';

export interface AgentKeyDialogProps {
  readonly cluster: string;
  readonly made: ClusterAccessKey;
  /** The key is forgotten then. */
  onClose(): void;
}

/** The key of an agent, this once, and how the agent is started with it. */
export function AgentKeyDialog({ cluster, made, onClose }: AgentKeyDialogProps) {
  const [place, setPlace] = useState<AgentPlace>('built-in');
  const { accessKey = '', managementHost = '', caCert = '' } = made;
  return (
    <Dialog onClose={onClose} title={`The agent of ${cluster}`} size="xl" keepsOnClickBeside>
      <Stack gap="md">
        <div>
          <Text size="sm" mb={4}>
            1. Take the key to the machine of the agent. It is shown this once.
          </Text>
          <Group gap="xs" wrap="nowrap">
            <Code block flex={1} tabIndex={0} aria-label="The key of the agent" style={{ overflowX: 'auto' }}>
              {accessKey}
            </Code>
            <CopyButton text={accessKey} what="the key" />
          </Group>
          <Group gap="sm" mt="xs">
            <Button
              variant="default"
              size="xs"
              leftSection={<Icon name="download" size={16} />}
              onClick={() => saveText(`${cluster}.key`, `${accessKey}\n`)}
            >
              Save {cluster}.key
            </Button>
            {caCert === '' ? null : (
              <Button
                variant="default"
                size="xs"
                leftSection={<Icon name="download" size={16} />}
                onClick={() => saveText('ca.crt', caCert)}
              >
                Save ca.crt
              </Button>
            )}
          </Group>
        </div>
        <div>
          <Text size="sm" mb={4}>
            2. Start the agent there, with its own address in place of edge.example.com.
          </Text>
          <NativeSelect
            label="It serves"
            value={place}
            onChange={(event) => setPlace(event.currentTarget.value as AgentPlace)}
            data={agentPlaces.map(({ value, label }) => ({ value, label }))}
            mb="xs"
          />
          <Command text={agentCommand({ cluster, managementHost, hasAuthority: caCert !== '', place })} />
        </div>
        <Text size="sm" c="dimmed">
          3. It tells the server where it is, and the cluster is online within seconds.
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
