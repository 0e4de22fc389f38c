import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Logo } from '../../components/logo.tsx';
import classes from './sign-in.module.css';

interface SignInCardProps {
  readonly title: string;
  readonly about: string;
  readonly children: ReactNode;
}

/** The frame of the pages for people who are not signed in. */
export function SignInCard({ title, about, children }: SignInCardProps) {
  return (
    <main className={classes.page}>
      <div className={classes.sea} aria-hidden="true" />
      <div className={classes.card}>
        <Stack gap="md">
          <Logo size={40} />
          <div>
            <Title order={1} size="h2">
              {title}
            </Title>
            <Text c="dimmed" size="sm" mt={4}>
              {about}
            </Text>
          </div>
          {children}
        </Stack>
      </div>
    </main>
  );
}
