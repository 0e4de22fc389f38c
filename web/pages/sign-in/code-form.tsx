import { Anchor, Button, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { StatusError } from '../../../src/api/status.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { CodeField, RecoveryCodes, SetupSecret } from '../../components/form/second-factor-fields.tsx';
import type { CodeRequest } from '../../data/session/second-factor.ts';

interface CodeFormProps {
  readonly request: CodeRequest;
  /**
   * Signs in with the code. Rejects if the server refuses the code. `onRecoveryCodes` shows new recovery codes to the
   * user and resolves when the user has saved the codes.
   */
  onCode(code: string, onRecoveryCodes: (codes: readonly string[]) => Promise<void>): Promise<void>;
  /** Returns to the password form. */
  onCancel(): void;
}

/** The displayed recovery codes, and the function that continues the sign-in. */
interface ShownCodes {
  readonly codes: readonly string[];
  onSaved(): void;
}

/** The second step of a sign-in. Asks for a code. If the user has no second factor, the form first sets one up. */
export function CodeForm({ request, onCode, onCancel }: CodeFormProps) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [shown, setShown] = useState<ShownCodes>();

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const code = String(new FormData(event.currentTarget).get('code') ?? '').trim();
    event.currentTarget.reset();
    setBusy(true);
    setError(undefined);
    try {
      await onCode(code, (codes) => new Promise((resolve) => setShown({ codes, onSaved: () => resolve() })));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  if (shown !== undefined) {
    return (
      <Stack gap="md">
        <RecoveryCodes codes={shown.codes} />
        <Button onClick={shown.onSaved} autoFocus fullWidth>
          I have saved the codes
        </Button>
      </Stack>
    );
  }
  const isWrong = error instanceof StatusError && error.code === 401;
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        {request.setup === undefined ? null : <SetupSecret setup={request.setup} />}
        <CodeField
          isFirst={request.setup !== undefined}
          error={isWrong ? 'Incorrect code. A code works once; wait for the next one.' : undefined}
        />
        {error === undefined || isWrong ? null : <ErrorNotice error={error} />}
        <Button type="submit" loading={isBusy} fullWidth>
          Sign in
        </Button>
        <Anchor component="button" type="button" size="sm" onClick={onCancel}>
          Back
        </Anchor>
      </Stack>
    </form>
  );
}
