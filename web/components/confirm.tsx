import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { ErrorNotice } from './error-notice.tsx';

export interface ConfirmProps {
  readonly title: string;
  /** What will happen, and what will not. */
  readonly children: ReactNode;
  /** The words on the button: "Delete demo". */
  readonly action: string;
  /** To be typed before the button works: for what cannot be undone. */
  readonly typed?: string;
  readonly danger?: boolean;
  /** The dialog stays open with the error where it rejects. */
  onConfirm(): Promise<void>;
  onClose(): void;
}

/** Asks once more. Mounted while it is open. */
export function Confirm({ title, children, action, typed, danger = false, onConfirm, onClose }: ConfirmProps) {
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const button = useRef<HTMLButtonElement>(null);
  // It could not keep the focus while it was busy.
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
    } catch (refusal) {
      setError(refusal);
      setBusy(false);
    }
  }

  return (
    <Dialog onClose={onClose} title={title} centered>
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          <div>{children}</div>
          {typed === undefined ? null : (
            <TextInput
              label={
                <>
                  Type <span className="mono">{typed}</span> to go on
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
              disabled={typed !== undefined && text !== typed}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
