import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { SecondFactorSetup, SecondFactorState } from '../../../src/api/second-factor.ts';
import { Dialog } from '../../components/form/dialog.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { CodeField, RecoveryCodes, SetupSecret } from '../../components/form/second-factor-fields.tsx';
import { notify } from '../../components/notifications.tsx';
import { Panel } from '../../components/panel.tsx';
import { sendJson } from '../../data/send.ts';

const url = '/auth/totp';

/** The second factor of the signed-in user. Renders nothing if the server has none. */
export function SecondFactor() {
  const { data, refetch } = useQuery({
    queryKey: ['second-factor'],
    queryFn: ({ signal }) => sendJson<SecondFactorState>({ url, signal }),
    retry: false,
  });
  const [setup, setSetup] = useState<SecondFactorSetup>();
  const [codes, setCodes] = useState<readonly string[]>();
  const [isRemoving, setRemoving] = useState(false);
  if (data === undefined || data.policy === 'off') return null;
  const close = () => {
    setSetup(undefined);
    setCodes(undefined);
    setRemoving(false);
    void refetch();
  };
  const begin = async () => {
    try {
      setSetup(await sendJson<SecondFactorSetup>({ method: 'POST', url, document: {} }));
    } catch (error) {
      notify.failed('Cannot set up a second factor', error);
    }
  };
  return (
    <Panel
      title="Second factor"
      actions={
        data.enabled ? (
          <Button size="xs" variant="default" disabled={data.policy === 'required'} onClick={() => setRemoving(true)}>
            Remove second factor
          </Button>
        ) : (
          <Button size="xs" onClick={() => void begin()}>
            Set up second factor
          </Button>
        )
      }
    >
      <Text size="sm">
        {data.enabled
          ? `Signing in with your password needs a code from your authenticator app. Recovery codes left: ${data.recoveryCodes}.`
          : 'Protect your account with codes from an authenticator app.'}
      </Text>
      {codes !== undefined ? (
        <Dialog title="Recovery codes" keepOpenOnClickOutside onClose={close}>
          <RecoveryCodes codes={codes} />
          <Group justify="flex-end" mt="md">
            <Button onClick={close}>I have saved the codes</Button>
          </Group>
        </Dialog>
      ) : setup !== undefined ? (
        <SetUpDialog setup={setup} onDone={setCodes} onClose={close} />
      ) : null}
      {isRemoving ? <RemoveDialog onClose={close} /> : null}
    </Panel>
  );
}

interface SetUpDialogProps {
  readonly setup: SecondFactorSetup;
  onDone(recoveryCodes: readonly string[]): void;
  onClose(): void;
}

function SetUpDialog({ setup, onDone, onClose }: SetUpDialogProps) {
  const [code, setCode] = useState('');
  const isDone = useRef(false);
  return (
    <FormDialog
      title="Set up second factor"
      action="Set up"
      canSend={code !== ''}
      onClose={() => {
        // After the setup, does not call `onClose`, because this component must stay mounted to show the recovery
        // codes.
        if (!isDone.current) onClose();
      }}
      onSend={async () => {
        const document = { setup: setup.setup, code };
        const { recoveryCodes } = await sendJson<{ recoveryCodes: string[] }>({ method: 'POST', url, document });
        isDone.current = true;
        onDone(recoveryCodes);
      }}
    >
      {() => (
        <>
          <SetupSecret setup={setup} />
          <CodeField isFirst onChange={setCode} />
        </>
      )}
    </FormDialog>
  );
}

function RemoveDialog({ onClose }: { onClose(): void }) {
  const [code, setCode] = useState('');
  return (
    <FormDialog
      title="Remove second factor"
      action="Remove"
      canSend={code !== ''}
      onClose={onClose}
      onSend={async () => {
        await sendJson({ method: 'DELETE', url, document: { code } });
        notify.done('Removed the second factor');
      }}
    >
      {() => (
        <>
          <Text size="sm">You then sign in with your password alone. Delete the entry in your app afterwards.</Text>
          <CodeField onChange={setCode} />
        </>
      )}
    </FormDialog>
  );
}
