import { Alert, Button, List, Text } from '@mantine/core';
import { StatusError } from '../../src/api/status.ts';

/** What went wrong in the server's own words; and if it could not be asked, that. */
export function messageOf(error: unknown): string {
  if (error instanceof StatusError) return error.message;
  if (error instanceof TypeError) return 'The server cannot be reached.';
  return error instanceof Error ? error.message : String(error);
}

function titleOf(error: unknown): string {
  if (error instanceof TypeError) return 'No connection';
  if (!(error instanceof StatusError)) return 'That did not work';
  const titles: Record<string, string> = {
    Forbidden: 'You may not do this',
    NotFound: 'There is no such thing',
    Conflict: 'Somebody else changed it meanwhile',
    AlreadyExists: 'That name is taken',
    Invalid: 'The server does not accept this',
    TooManyRequests: 'Too many requests at once',
  };
  return titles[error.status.reason ?? ''] ?? 'That did not work';
}

export interface ErrorNoticeProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

/** An error as the server tells it: the message, and each field that it names. */
export function ErrorNotice({ error, onRetry }: ErrorNoticeProps) {
  const causes = error instanceof StatusError ? (error.status.details?.causes ?? []) : [];
  return (
    <Alert color="red" title={titleOf(error)} role="alert" my="sm">
      {causes.length > 1 ? (
        <List size="sm">
          {causes.map((cause) => (
            <List.Item key={`${cause.field} ${cause.message}`}>
              <span className="mono">{cause.field}</span>: {cause.message}
            </List.Item>
          ))}
        </List>
      ) : (
        <Text size="sm">{messageOf(error)}</Text>
      )}
      {onRetry === undefined ? null : (
        <Button mt="sm" size="xs" variant="light" color="red" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}
