import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { SelfStatus } from '../../../src/api/management/v1/self.ts';
import { StatusError } from '../../../src/api/status.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { type CodeRequest, codeRequestOf } from '../../data/session/second-factor.ts';
import { signIn } from '../../data/session/sign-in.ts';
import { CodeForm } from './code-form.tsx';
import { signInPath } from './sign-in-location.ts';

type Method = 'password' | 'accessKey';

/** A sign-in with a correct password that still needs a code from the user. */
interface PendingSignIn {
  readonly request: CodeRequest;
  readonly credentials: { readonly username: string; readonly password: string };
}

interface CredentialsFormProps {
  readonly before: SelfStatus | undefined;
  readonly isPasswordAllowed: boolean;
  /** True if the first empty field gets the focus. */
  readonly takesFocus: boolean;
}

/** The form for a password or an access key. */
export function CredentialsForm({ before, isPasswordAllowed, takesFocus }: CredentialsFormProps) {
  const [method, setMethod] = useState<Method>(isPasswordAllowed ? 'password' : 'accessKey');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [pending, setPending] = useState<PendingSignIn>();
  const form = useRef<HTMLFormElement>(null);
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the fields of another method are new elements
  useEffect(() => {
    if (isFirst.current && !takesFocus) {
      isFirst.current = false;
      return;
    }
    isFirst.current = false;
    const fields = [...(form.current?.querySelectorAll<HTMLInputElement>('input[name]') ?? [])];
    fields.find(({ value }) => value === '')?.focus();
  }, [method, takesFocus]);

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const filled = event.currentTarget;
    const sent = new FormData(filled);
    const text = (name: string) => String(sent.get(name) ?? '');
    setBusy(true);
    setError(undefined);
    const credentials =
      method === 'password'
        ? { username: text('username').trim(), password: text('password') }
        : { accessKey: text('access-key').trim() };
    try {
      await signIn(credentials, before, leaveSignInPage);
      filled.reset();
    } catch (failure) {
      clearSecrets(filled);
      const request = codeRequestOf(failure);
      if (request === undefined || credentials.username === undefined) setError(failure);
      else setPending({ request, credentials });
    } finally {
      setBusy(false);
    }
  }

  if (pending !== undefined) {
    const { request, credentials } = pending;
    return (
      <CodeForm
        request={request}
        onCancel={() => setPending(undefined)}
        onCode={async (code, onRecoveryCodes) => {
          const setup = request.setup === undefined ? {} : { setup: request.setup.setup };
          await signIn({ ...credentials, ...setup, code }, before, async (recoveryCodes) => {
            if (recoveryCodes.length > 0) await onRecoveryCodes(recoveryCodes);
            leaveSignInPage();
          });
        }}
      />
    );
  }
  return (
    <form ref={form} onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        {method === 'password' ? <PasswordFields username={before?.user?.name ?? ''} /> : <AccessKeyField />}
        {error === undefined ? null : <SignInError error={error} method={method} />}
        <Button type="submit" loading={isBusy} fullWidth>
          Sign in
        </Button>
        {isPasswordAllowed ? (
          <Anchor
            component="button"
            type="button"
            size="sm"
            onClick={() => {
              setError(undefined);
              setMethod(method === 'password' ? 'accessKey' : 'password');
            }}
          >
            {method === 'password' ? 'Use an access key' : 'Use a password'}
          </Anchor>
        ) : null}
      </Stack>
    </form>
  );
}

function PasswordFields({ username }: { readonly username: string }) {
  return (
    <>
      <TextInput
        name="username"
        label="Username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        defaultValue={username}
        required
      />
      <PasswordInput name="password" label="Password" autoComplete="current-password" required />
    </>
  );
}

function AccessKeyField() {
  return (
    <PasswordInput
      name="access-key"
      label="Access key"
      description="The key of the first administrator is in the file admin.key in the server's data directory."
      placeholder="flk_…"
      autoComplete="off"
      required
    />
  );
}

function SignInError({ error, method }: { readonly error: unknown; readonly method: Method }) {
  if (!(error instanceof StatusError) || error.code !== 401) return <ErrorNotice error={error} />;
  return (
    <Text c="red" size="sm" role="alert">
      {method === 'password'
        ? 'Incorrect username or password.'
        : 'Invalid access key. It may be mistyped, disabled or expired.'}
    </Text>
  );
}

/**
 * Replaces the URL of the failed sign-in with the URL of the start page, because the console has no page at the former
 * URL.
 */
function leaveSignInPage(): void {
  if (location.pathname === signInPath) history.replaceState(null, '', '/');
}

/** Empties the credential fields after the server has rejected the sign-in, so the page does not keep the secrets. */
function clearSecrets(form: HTMLFormElement): void {
  for (const name of ['password', 'access-key']) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement) field.value = '';
  }
}
