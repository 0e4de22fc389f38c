import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { sendRequest } from '../../../src/client/send-request.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { pageSender } from '../../data/send.ts';
import { SignInCard } from './sign-in-card.tsx';

/** The path of the page that a reset link opens. The secret of the link is in the fragment of the URL. */
export const resetPath = '/reset';

/**
 * The page on which a user sets a new password with a reset link. The page needs no session, and setting the password
 * starts none.
 */
export function ResetPassword() {
  const [token] = useState(takeToken);
  const [isDone, setDone] = useState(false);
  if (isDone) return <Done />;
  if (token === '') return <MissingToken />;
  return (
    <SignInCard title="Set a new password" about="This ends all your sessions. Then sign in with the new password.">
      <PasswordForm token={token} onDone={() => setDone(true)} />
    </SignInCard>
  );
}

/** Returns the secret of the link, and removes it from the address bar and the browser history. */
function takeToken(): string {
  const token = location.hash.slice(1);
  if (token !== '') history.replaceState(null, '', location.pathname);
  return token;
}

function PasswordForm({ token, onDone }: { readonly token: string; onDone(): void }) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [mismatch, setMismatch] = useState<string>();

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const sent = new FormData(event.currentTarget);
    const password = String(sent.get('password') ?? '');
    const isRepeated = password === String(sent.get('repeated') ?? '');
    setMismatch(isRepeated ? undefined : 'The passwords do not match.');
    if (!isRepeated) return;
    setBusy(true);
    setError(undefined);
    try {
      const body = { type: 'application/json', text: JSON.stringify({ token, password }) };
      await sendRequest(pageSender, { method: 'POST', url: '/auth/password/reset', body });
      onDone();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  const fieldError = fieldProblems(error)('spec.password');
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <PasswordInput
          name="password"
          label="New password"
          description="At least 8 characters."
          autoComplete="new-password"
          error={fieldError}
          required
          autoFocus
        />
        <PasswordInput
          name="repeated"
          label="Repeat the password"
          autoComplete="new-password"
          error={mismatch}
          required
        />
        {error === undefined || fieldError !== undefined ? null : <ErrorNotice error={error} />}
        <Button type="submit" loading={isBusy} fullWidth>
          Set password
        </Button>
      </Stack>
    </form>
  );
}

function Done() {
  return (
    <SignInCard title="Password set" about="All your earlier sessions have ended.">
      <Button component="a" href="/" fullWidth>
        Continue to the sign-in page
      </Button>
    </SignInCard>
  );
}

function MissingToken() {
  return (
    <SignInCard title="Link is incomplete" about="This page needs the complete link that your administrator sent you.">
      <Text size="sm">Open the link again, or copy it completely into the address bar. A link works once.</Text>
    </SignInCard>
  );
}
