import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { LoadingIndicator } from '../../components/loading-indicator.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { type AppRequest, answerAppRequest, readAppRequest } from '../../data/session/app-sign-in.ts';
import { signOutHere } from '../../data/session/sign-in.ts';

type Question = Exclude<AppRequest, { readonly location: string }>;

/**
 * Asks whether the user wants to sign in to another app. The server checks the app's authorization request, which is in
 * the URL query.
 */
export function AuthorizeAppPage() {
  const request = location.search.slice(1);
  const { data, error, refetch } = useQuery({
    queryKey: ['app-request', request],
    queryFn: ({ signal }) => readAppRequest(request, signal),
    retry: false,
    gcTime: 0,
  });
  const next = data?.location;
  useEffect(() => {
    if (next !== undefined) location.replace(next);
  }, [next]);
  if (error !== null) {
    return (
      <>
        <PageHeader title="Cannot sign in to the app" />
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      </>
    );
  }
  if (data === undefined || data.location !== undefined) return <LoadingIndicator message="Checking the request" />;
  return <AppQuestion question={data} request={request} />;
}

function AppQuestion({ question, request }: { readonly question: Question; readonly request: string }) {
  const { app, user, refusal, mustConfirm, mustSignInAgain } = question;
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const isAutomatic = !mustConfirm && !mustSignInAgain && refusal === undefined;

  async function run(action: () => Promise<void>): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      await action();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the request is answered once
  useEffect(() => {
    if (isAutomatic) void run(() => answerAppRequest(request, 'allow'));
  }, []);
  if (isAutomatic && error === undefined) return <LoadingIndicator message={`Continuing to ${app.name}`} />;
  const deny = (
    <Button variant="default" disabled={isBusy} onClick={() => void run(() => answerAppRequest(request, 'deny'))}>
      Cancel
    </Button>
  );
  return (
    <>
      <PageHeader title={`Continue to ${app.name}`} />
      <Panel>
        <Text mb="md">{questionText(question)}</Text>
        {error === undefined ? null : <ErrorNotice error={error} />}
        <Group>
          {refusal !== undefined ? null : mustSignInAgain ? (
            <Button loading={isBusy} onClick={() => void run(signOutHere)}>
              Sign in again
            </Button>
          ) : (
            <Button loading={isBusy} onClick={() => void run(() => answerAppRequest(request, 'allow'))}>
              Continue as {user}
            </Button>
          )}
          {deny}
        </Group>
      </Panel>
    </>
  );
}

function questionText({ app, user, refusal, mustSignInAgain }: Question): string {
  if (refusal !== undefined) return `You cannot sign in to ${app.name}: ${refusal}.`;
  if (mustSignInAgain) return `${app.name} asks you to sign in again.`;
  return `Continue to ${app.name} as ${user}? The app can read your name, your email address and the names of your teams.`;
}
