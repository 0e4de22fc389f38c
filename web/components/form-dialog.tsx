import { Button, Group, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { StatusError } from '../../src/api/status.ts';
import { Dialog } from './dialog.tsx';
import { ErrorNotice } from './error-notice.tsx';

export interface FormDialogProps {
  readonly title: string;
  /** The words on the button. */
  readonly action: string;
  /** Whether what stands in the form can be sent. */
  readonly canSend?: boolean;
  readonly size?: string;
  /** Sends it. Where it rejects, the dialog stays with everything in it and shows the error. */
  onSend(): Promise<void>;
  onClose(): void;
  /** Given the error of the last try, so that fields show what is wrong with them. */
  children(error: unknown): ReactNode;
}

/** A form in front of the page. Mounted while it is open. */
export function FormDialog({ title, action, canSend = true, size = 'md', onSend, onClose, children }: FormDialogProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isToldAtFields, setToldAtFields] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  // The button that was pressed could not keep the focus while it was busy: what is to be mended gets it.
  useLayoutEffect(() => {
    if (error === undefined) return;
    const wrong = form.current?.querySelectorAll<HTMLElement>('[aria-invalid="true"]') ?? [];
    const causes = error instanceof StatusError ? (error.status.details?.causes ?? []) : [];
    setToldAtFields(causes.length > 0 && wrong.length === causes.length);
    const next = wrong[0] ?? form.current?.querySelector<HTMLElement>('button[type="submit"]');
    next?.focus();
  }, [error]);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    try {
      await onSend();
      onClose();
    } catch (refusal) {
      setError(refusal);
      setBusy(false);
    }
  }

  return (
    <Dialog onClose={onClose} title={title} size={size} keepsOnClickBeside>
      <form ref={form} onSubmit={(event) => void submit(event)} noValidate>
        <Stack gap="md">
          {children(error)}
          {error === undefined || isToldAtFields ? null : <ErrorNotice error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy} disabled={!canSend}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
