import { Code, List, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { SecondFactorSetup } from '../../../src/api/second-factor.ts';
import { Command } from '../command.tsx';
import { lazyComponent } from '../lazy-component.tsx';
import type { QrCodeProps } from './qr-code.tsx';

const QrCode = lazyComponent<QrCodeProps>(async () => (await import('./qr-code.tsx')).QrCode, 'Loading the QR code');

interface CodeFieldProps {
  readonly error?: ReactNode;
  /** True if the field is for the first code of a new second factor. Recovery codes do not exist yet at that time. */
  readonly isFirst?: boolean;
  onChange?(code: string): void;
}

/** The field for a code of an authenticator app. Its name in a form is `code`. */
export function CodeField({ error, isFirst = false, onChange }: CodeFieldProps) {
  return (
    <TextInput
      name="code"
      label="Code"
      description={
        isFirst ? 'The six digits that the app shows now.' : 'From your authenticator app, or a recovery code.'
      }
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      error={error}
      onChange={(event) => onChange?.(event.currentTarget.value)}
      required
      autoFocus
      data-autofocus
    />
  );
}

/** The secret of a new second factor, which the user adds to an authenticator app. */
export function SetupSecret({ setup }: { readonly setup: SecondFactorSetup }) {
  return (
    <Stack gap="xs">
      <Text size="sm">
        Scan this code with your authenticator app, such as FreeOTP, Aegis or 1Password, or add the key. On this device,
        you can <a href={setup.uri}>open the app</a>.
      </Text>
      <QrCode text={setup.uri} label="QR code of the key" />
      <Command text={setup.secret} label="Key" />
    </Stack>
  );
}

/** The recovery codes of a new second factor, which are shown only once. */
export function RecoveryCodes({ codes }: { readonly codes: readonly string[] }) {
  return (
    <Stack gap="xs">
      <Text size="sm">
        Each of these recovery codes replaces a code of the app once. Keep them in a safe place. They are shown only
        now.
      </Text>
      <List size="sm" aria-label="Recovery codes">
        {codes.map((code) => (
          <List.Item key={code}>
            <Code>{code}</Code>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}
