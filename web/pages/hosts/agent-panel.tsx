import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { ClusterAccessKey } from '../../../src/api/management/v1/cluster-access-key.ts';
import { Command } from '../../components/command.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { postSubresource } from '../../data/objects.ts';
import { AgentKeyDialog } from './agent-key-dialog.tsx';

export interface AgentPanelProps {
  readonly cluster: string;
  /** The server reaches the cluster in no other way. */
  readonly isNeeded: boolean;
  readonly mayMakeKey: boolean;
}

/** The process beside a cluster that serves it: what it is for, its key, and how it is started. */
export function AgentPanel({ cluster, isNeeded, mayMakeKey }: AgentPanelProps) {
  // The key is here while its dialog is open, and nowhere afterwards.
  const [made, setMade] = useState<ClusterAccessKey>();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  async function make(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      const answer = await postSubresource(kinds.cluster, { name: cluster }, 'accesskey', {});
      setMade(answer as unknown as ClusterAccessKey);
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Panel title="Agent">
      <Text size="sm" mb="md">
        {isNeeded
          ? 'The server reaches this cluster through its agent, a process beside the cluster. Make a key for it, then start it there.'
          : 'An agent beside the cluster serves it without the detour over this server, also while this server is away.'}
      </Text>
      {mayMakeKey ? (
        <>
          <Button leftSection={<Icon name="keys" size={16} />} loading={isBusy} onClick={() => void make()}>
            Make a key for the agent
          </Button>
          <Text size="sm" c="dimmed" mt="sm">
            A key that is there already goes on until the new one is first used. The same on the command line:
          </Text>
          <Command text={`flotilla cluster agent-key ${cluster} --file ${cluster}.key`} />
        </>
      ) : null}
      {error === undefined ? null : <ErrorNotice error={error} />}
      {made === undefined ? null : <AgentKeyDialog cluster={cluster} made={made} onClose={() => setMade(undefined)} />}
    </Panel>
  );
}
