import { PasswordInput, Text } from '@mantine/core';
import { useState, useSyncExternalStore } from 'react';
import { FormDialog } from '../components/form/form-dialog.tsx';
import { CodeField } from '../components/form/second-factor-fields.tsx';
import { passwordPrompt } from '../data/session/password-prompt.ts';
import { codeRequestOf } from '../data/session/second-factor.ts';
import { signIn } from '../data/session/sign-in.ts';
import { useSelf } from '../data/session/use-self.ts';

/** Asks for the password of the signed-in user when a request needs a recent login. */
export function PasswordPromptDialog() {
  const isOpen = useSyncExternalStore(passwordPrompt.subscribe, passwordPrompt.isOpen);
  return isOpen ? <OpenDialog /> : null;
}

function OpenDialog() {
  const { self } = useSelf();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [isCodeNeeded, setCodeNeeded] = useState(false);
  const username = self?.user?.name ?? '';
  return (
    <FormDialog
      title="Confirm your password"
      action="Confirm"
      canSend={password !== '' && username !== ''}
      onClose={() => passwordPrompt.finish(false)}
      onSend={async () => {
        try {
          await signIn({ username, password, ...(code === '' ? {} : { code }) }, self);
        } catch (error) {
          const request = codeRequestOf(error);
          if (request !== undefined && request.setup === undefined) setCodeNeeded(true);
          throw error;
        }
        passwordPrompt.finish(true);
      }}
    >
      {() => (
        <>
          <Text size="sm">
            {username === ''
              ? 'This change needs a recent sign-in. Sign in as a user.'
              : 'This change needs a recent sign-in. If you have no password, sign out and sign in again through your identity provider.'}
          </Text>
          <PasswordInput
            label={`Password of ${username}`}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show password' }}
            data-autofocus
          />
          {isCodeNeeded ? <CodeField onChange={setCode} /> : null}
        </>
      )}
    </FormDialog>
  );
}
