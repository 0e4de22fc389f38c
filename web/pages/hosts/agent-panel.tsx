import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { ClusterAccessKey } from '../../../src/api/management/v1/cluster-access-key.ts';
import { Command } from '../../components/command.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { postSubresource } from '../../data/objects/objects.ts';
import { AgentKeyDialog } from './agent-key-dialog.tsx';

export interface AgentPanelProps {
  readonly cluster: string;
  /** True if the server can reach the cluster only through an agent. */
  readonly isNeeded: boolean;
  readonly mayMakeKey: boolean;
}

/** A panel that explains the agent of a cluster and creates an access key for the agent. */
export function AgentPanel({ cluster, isNeeded, mayMakeKey }: AgentPanelProps) {
  // The page keeps the key only as long as the dialog with the key is open.
  const [made, setMade] = useState<ClusterAccessKey>();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  async function make(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      setMade(await postSubresource<ClusterAccessKey>(kinds.cluster, { name: cluster }, 'accesskey', {}));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Panel title="Agent">
      <Text size="sm" mb="md">
        {isNeeded
          ? 'The server reaches this cluster through an agent, a process that runs beside the cluster. Create a key for the agent, then start the agent beside the cluster.'
          : 'Optional. An agent that runs beside the cluster serves it directly, even while this server is unavailable.'}
      </Text>
      {mayMakeKey ? (
        <>
          <Button leftSection={<Icon name="keys" size={16} />} loading={isBusy} onClick={() => void make()}>
            Create agent key
          </Button>
          <Text size="sm" c="dimmed" mt="sm">
            An existing agent key keeps working until the new one is used for the first time. To create a key on the
            command line:
          </Text>
          <Command text={`flotilla cluster agent-key ${cluster} --file ${cluster}.key`} />
        </>
      ) : null}
      {error === undefined ? null : <ErrorNotice error={error} />}
      {made === undefined ? null : <AgentKeyDialog cluster={cluster} made={made} onClose={() => setMade(undefined)} />}
    </Panel>
  );
}
