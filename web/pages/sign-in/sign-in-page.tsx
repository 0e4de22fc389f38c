import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { LinkButton } from '../../components/link-button.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { signInMethodsQuery } from '../../data/session/sign-in-methods.ts';
import { ProblemNotice } from './problem-notice.tsx';
import { failedSignIn } from './sign-in-location.ts';

/**
 * The page at `/sign-in` for a signed-in user. A failed sign-in does not end an existing session, so the page explains
 * the failure and lets the user continue. If the URL describes no failure, shows the start page.
 */
export function SignInPage() {
  const failed = failedSignIn(location);
  const { data } = useQuery(signInMethodsQuery);
  if (failed === undefined) return <Navigate to="/" replace />;
  return (
    <>
      <PageHeader title="Sign-in failed" about="You are still signed in as before." />
      <Stack align="flex-start">
        <ProblemNotice failed={failed} connectors={data?.connectors ?? []} />
        <LinkButton to="/">Continue to the console</LinkButton>
      </Stack>
    </>
  );
}
