import { Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Panel } from '../../components/panel.tsx';
import { useSelf } from '../../data/session/use-self.ts';

export interface ConsentPanelProps {
  /** The name of the machine on which the command line runs. */
  readonly client: string;
  /** Further details by which the user can recognize the login. */
  readonly details?: ReactNode;
  /** Sends the decision to the server. */
  decide(allow: boolean): Promise<void>;
}

/** Asks the signed-in user whether the command line may log in with the user's identity. */
export function ConsentPanel({ client, details, decide }: ConsentPanelProps) {
  const { self } = useSelf();
  const [pending, setPending] = useState<boolean>();
  const [error, setError] = useState<unknown>();
  const name = self?.user?.name ?? self?.team?.name ?? self?.subject ?? '';

  async function send(allow: boolean): Promise<void> {
    setPending(allow);
    setError(undefined);
    try {
      await decide(allow);
    } catch (failure) {
      setError(failure);
      setPending(undefined);
    }
  }

  return (
    <Panel>
      <Stack gap="md">
        <Text>
          Allow the command line on <b className="mono">{client}</b> to use your account <b>{name}</b>?
        </Text>
        {details}
        <Text c="dimmed" size="sm">
          Allow it only if you have just started this login yourself. The command line can then do everything that you
          can do in this session, until the session expires or you log out on the command line.
        </Text>
        {error === undefined ? null : <ErrorNotice error={error} />}
        <Group>
          <Button loading={pending === true} disabled={pending === false} onClick={() => void send(true)}>
            Allow
          </Button>
          <Button
            variant="default"
            loading={pending === false}
            disabled={pending === true}
            onClick={() => void send(false)}
          >
            Deny
          </Button>
        </Group>
      </Stack>
    </Panel>
  );
}
