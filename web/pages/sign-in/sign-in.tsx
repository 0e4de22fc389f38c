import { Button, PasswordInput, SegmentedControl, Stack, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { SelfStatus } from '../../../src/api/management/v1/self.ts';
import { StatusError } from '../../../src/api/status.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Logo } from '../../components/logo.tsx';
import { signIn } from '../../data/session/sign-in.ts';
import classes from './sign-in.module.css';

type Method = 'password' | 'accessKey';

/**
 * The sign-in form. `before` is the user whose session has ended; the page of that user stays mounted behind the form.
 * `undefined` if nobody was signed in.
 */
export function SignIn({ before }: { readonly before: SelfStatus | undefined }) {
  const [method, setMethod] = useState<Method>('password');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  // Focuses the first empty field.
  useEffect(() => {
    const fields = [...(form.current?.querySelectorAll<HTMLInputElement>('input[name]') ?? [])];
    fields.find(({ type, value }) => type !== 'radio' && value === '')?.focus();
  }, []);

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const filled = event.currentTarget;
    const sent = new FormData(filled);
    const text = (name: string) => String(sent.get(name) ?? '');
    setBusy(true);
    setError(undefined);
    try {
      const credentials =
        method === 'password'
          ? { username: text('username').trim(), password: text('password') }
          : { accessKey: text('access-key').trim() };
      await signIn(credentials, before);
      filled.reset();
    } catch (failure) {
      setError(failure);
      // The page does not keep a rejected credential.
      for (const name of ['password', 'access-key']) {
        const field = filled.elements.namedItem(name);
        if (field instanceof HTMLInputElement) field.value = '';
      }
    } finally {
      setBusy(false);
    }
  }

  return (
    <main className={classes.page}>
      <div className={classes.sea} aria-hidden="true" />
      <form ref={form} className={classes.card} onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          <Logo size={40} />
          <div>
            <Title order={1} size="h2">
              Sign in to Flotilla
            </Title>
            <Text c="dimmed" size="sm" mt={4}>
              {before === undefined
                ? 'Virtual Kubernetes clusters for your projects.'
                : 'Your session has ended. Sign in again to continue. Your unsaved input is kept.'}
            </Text>
          </div>
          <SegmentedControl
            aria-label="Sign-in method"
            fullWidth
            value={method}
            onChange={(value) => setMethod(value as Method)}
            data={[
              { value: 'password', label: 'Password' },
              { value: 'accessKey', label: 'Access key' },
            ]}
          />
          {method === 'password' ? (
            <>
              <TextInput
                key="username"
                name="username"
                label="Username"
                autoComplete="username"
                autoCapitalize="none"
                spellCheck={false}
                defaultValue={before?.user?.name ?? ''}
                required
              />
              <PasswordInput key="password" name="password" label="Password" autoComplete="current-password" required />
            </>
          ) : (
            <PasswordInput
              key="access-key"
              name="access-key"
              label="Access key"
              description="The key of the first administrator is in the file admin.key in the server's data directory."
              placeholder="flk_…"
              autoComplete="off"
              required
            />
          )}
          {error === undefined ? null : isWrong(error) ? (
            <Text c="red" size="sm" role="alert">
              {method === 'password'
                ? 'Incorrect username or password.'
                : 'Invalid access key. It may be mistyped, disabled or expired.'}
            </Text>
          ) : (
            <ErrorNotice error={error} />
          )}
          <Button type="submit" loading={isBusy} fullWidth>
            Sign in
          </Button>
        </Stack>
      </form>
    </main>
  );
}

function isWrong(error: unknown): boolean {
  return error instanceof StatusError && error.code === 401;
}
