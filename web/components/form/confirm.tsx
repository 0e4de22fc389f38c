import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { ErrorNotice } from '../error-notice.tsx';
import { Dialog } from './dialog.tsx';

export interface ConfirmProps {
  readonly title: string;
  /** Explains the effects of the action. */
  readonly children: ReactNode;
  /** The label of the button, for example "Delete demo". */
  readonly action: string;
  /** The text that the user must type to enable the button, for actions that cannot be undone. Optional. */
  readonly confirmationText?: string;
  readonly danger?: boolean;
  /** Performs the action. If it rejects, the dialog stays open and shows the error. */
  onConfirm(): Promise<void>;
  onClose(): void;
}

/** A confirmation dialog. Open as long as it is mounted. */
export function Confirm({
  title,
  children,
  action,
  confirmationText,
  danger = false,
  onConfirm,
  onClose,
}: ConfirmProps) {
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const button = useRef<HTMLButtonElement>(null);
  // Restores the focus, which the button lost because it was disabled during the action.
  useEffect(() => {
    if (error !== undefined) button.current?.focus();
  }, [error]);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }

  return (
    <Dialog onClose={onClose} title={title} centered>
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          <div>{children}</div>
          {confirmationText === undefined ? null : (
            <TextInput
              label={
                <>
                  Type <span className="mono">{confirmationText}</span> to confirm
                </>
              }
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              autoComplete="off"
              spellCheck={false}
              data-autofocus
            />
          )}
          {error === undefined ? null : <ErrorNotice error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              ref={button}
              type="submit"
              color={danger ? 'red.9' : 'tide'}
              loading={isBusy}
              disabled={confirmationText !== undefined && text !== confirmationText}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
