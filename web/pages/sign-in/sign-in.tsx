import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SelfStatus } from '../../../src/api/management/v1/self.ts';
import type { SignInMethods } from '../../../src/api/sign-in.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { LoadingIndicator } from '../../components/loading-indicator.tsx';
import { signInMethodsQuery } from '../../data/session/sign-in-methods.ts';
import { ConnectorButtons } from './connector-buttons.tsx';
import { CredentialsForm } from './credentials-form.tsx';
import { ProblemNotice } from './problem-notice.tsx';
import { SignInCard } from './sign-in-card.tsx';
import { failedSignIn } from './sign-in-location.ts';

interface SignInProps {
  /**
   * The user whose session has ended and whose page stays mounted behind the form. `undefined` if nobody was signed in.
   */
  readonly before: SelfStatus | undefined;
}

/** The sign-in page: a link for each connector, and a form for a password or an access key. */
export function SignIn({ before }: SignInProps) {
  const { data: methods, error, refetch } = useQuery(signInMethodsQuery);
  return (
    <SignInCard title="Sign in to Flotilla" about={about(before, methods)}>
      {methods !== undefined ? (
        <Methods before={before} methods={methods} />
      ) : error === null ? (
        <LoadingIndicator message="Loading sign-in options" />
      ) : (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      )}
    </SignInCard>
  );
}

function Methods({ before, methods }: SignInProps & { readonly methods: SignInMethods }) {
  const { password, connectors } = methods;
  const failed = failedSignIn(location);
  const [isFormOpen, setFormOpen] = useState(password || connectors.length === 0);
  return (
    <>
      {failed === undefined ? null : <ProblemNotice failed={failed} connectors={connectors} />}
      {connectors.length === 0 ? null : <ConnectorButtons connectors={connectors} />}
      {connectors.length > 0 && isFormOpen ? (
        <Text ta="center" size="sm" c="dimmed">
          or
        </Text>
      ) : null}
      {isFormOpen ? (
        <CredentialsForm
          before={before}
          isPasswordAllowed={password}
          takesFocus={connectors.length === 0 || !password}
        />
      ) : (
        <Anchor component="button" type="button" size="sm" onClick={() => setFormOpen(true)}>
          Use an access key
        </Anchor>
      )}
    </>
  );
}

function about(before: SelfStatus | undefined, methods: SignInMethods | undefined): string {
  if (before === undefined) return 'Virtual Kubernetes clusters for your projects.';
  const ended = 'Your session has ended. Sign in again to continue.';
  const isKept = (methods?.connectors.length ?? 0) === 0;
  return isKept
    ? `${ended} Your unsaved input is kept.`
    : `${ended} Your unsaved input is kept if you use a password or an access key.`;
}
