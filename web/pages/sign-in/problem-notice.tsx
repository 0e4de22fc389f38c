import { Alert, Text } from '@mantine/core';
import type { SignInMethods, SignInProblem } from '../../../src/api/sign-in.ts';
import type { FailedSignIn } from './sign-in-location.ts';

interface ProblemText {
  readonly title: string;
  /** Returns a text about the cause of the failure. `provider` is the name on the sign-in button. */
  happened(provider: string): string;
  readonly next: string;
}

const texts: Readonly<Record<SignInProblem, ProblemText>> = {
  ProviderUnavailable: {
    title: 'Sign-in is unavailable',
    happened: (provider) => `${provider} does not respond.`,
    next: 'Try again in a few minutes. If it still fails, tell your administrator.',
  },
  Refused: {
    title: 'Sign-in was refused',
    happened: (provider) => `${provider} refused the sign-in, or you canceled it.`,
    next: 'Try again. If it still fails, tell your administrator; the audit log contains the cause.',
  },
  NotAllowed: {
    title: 'You have no access',
    happened: (provider) => `Your account at ${provider} may not use this server.`,
    next: 'Ask your administrator for access, or sign in with another account.',
  },
  Expired: {
    title: 'Sign-in has expired',
    happened: () => 'The sign-in took longer than ten minutes, or was already completed in another tab.',
    next: 'Sign in again.',
  },
  UserDisabled: {
    title: 'User is disabled',
    happened: () => 'Your user on this server is disabled.',
    next: 'Ask your administrator to enable it.',
  },
  NoUser: {
    title: 'No user on this server',
    happened: (provider) => `No user on this server belongs to your account at ${provider}.`,
    next: 'Ask your administrator to link a user with your account.',
  },
  Busy: {
    title: 'Server is busy',
    happened: () => 'Too many people are signing in, or too many sign-ins from your network have failed.',
    next: 'Wait a minute, then try again.',
  },
};

interface ProblemNoticeProps {
  readonly failed: FailedSignIn;
  readonly connectors: SignInMethods['connectors'];
}

/** Explains why a sign-in through a connector failed, and the next step. */
export function ProblemNotice({ failed, connectors }: ProblemNoticeProps) {
  const { title, happened, next } = texts[failed.problem];
  const provider = connectors.find(({ name }) => name === failed.connector)?.displayName ?? 'The identity provider';
  return (
    <Alert color="red" title={title} role="alert">
      <Text size="sm">
        {happened(provider)} {next}
      </Text>
    </Alert>
  );
}
