import { Button, Stack } from '@mantine/core';
import type { SignInMethods } from '../../../src/api/sign-in.ts';
import { connectorUrl } from './sign-in-location.ts';

/** A link for each connector, to the sign-in page of its identity provider. */
export function ConnectorButtons({ connectors }: Pick<SignInMethods, 'connectors'>) {
  return (
    <Stack gap="xs">
      {connectors.map(({ name, displayName }) => (
        <Button key={name} component="a" href={connectorUrl(name, location)} variant="default" fullWidth>
          Continue with {displayName}
        </Button>
      ))}
    </Stack>
  );
}
